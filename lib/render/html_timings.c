// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/html_report.h"
