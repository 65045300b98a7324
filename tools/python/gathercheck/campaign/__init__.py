# SPDX-License-Identifier: Apache-2.0
"""Campaigns: many runs of gathercheck, each with a version of an engine of its own, on one machine or on many."""
