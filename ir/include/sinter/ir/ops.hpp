#pragma once
#include "../../../ops.hpp"
