#pragma once
#include "../../../dtype.hpp"
