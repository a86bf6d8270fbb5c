/**
 * @file Features that describe memory and its nodes.
 */
#ifndef PD_CAPTURE_FEATURES_MEMORY_FEATURES_H
#define PD_CAPTURE_FEATURES_MEMORY_FEATURES_H

#include "capture/features/feature_encoder.h"

cap_feature cap_feature_total_mem;
cap_feature cap_feature_numa_topology;
cap_feature cap_feature_mem_topology;

#endif
