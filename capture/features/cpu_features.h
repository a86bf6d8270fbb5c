/**
 * @file Features that describe the system, its processors and their PMUs.
 */
#ifndef PD_CAPTURE_FEATURES_CPU_FEATURES_H
#define PD_CAPTURE_FEATURES_CPU_FEATURES_H

#include "capture/features/feature_encoder.h"

cap_feature cap_feature_hostname;
cap_feature cap_feature_osrelease;
cap_feature cap_feature_version;
cap_feature cap_feature_arch;
cap_feature cap_feature_nrcpus;
cap_feature cap_feature_cpudesc;
cap_feature cap_feature_cpuid;
cap_feature cap_feature_cpu_topology;
cap_feature cap_feature_cache;
cap_feature cap_feature_pmu_mappings;
cap_feature cap_feature_cpu_pmu_caps;
cap_feature cap_feature_hybrid_topology;

#endif
