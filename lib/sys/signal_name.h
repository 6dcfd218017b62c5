/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal_name.h - names of signals. glibc before 2.32, on which gpudiag runs too, has none without translation. */
#pragma once

/* "SEGV" for SIGSEGV, without "SIG"; NULL for a real-time signal and for what is no signal. A static string. */
const char *name_of_signal(int signal_number);
