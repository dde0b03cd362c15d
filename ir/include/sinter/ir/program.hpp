#pragma once
#include "../../../program.hpp"
