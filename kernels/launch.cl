// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * launch.cl - a kernel that does nothing: all the time it takes is the way
 * there and back. No argument either, so none has to be sent along.
 */
__kernel void launch_empty(void)
{
}
