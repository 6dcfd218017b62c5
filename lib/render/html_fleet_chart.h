/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_fleet_chart.h - the figures of one metric drawn on a page. Private to html_fleet*.c. */
#pragma once

#include "render/fleet_chart.h"
#include "render/html.h"

void html_fleet_chart(struct html *html, const struct fleet *fleet, const struct fleet_chart *chart);

/* "54 GB/s" */
const char *html_fleet_figure(struct html *html, const struct fleet_metric *metric, double value);
