/*
 * Lower bounds of base/limit_defs.h, for the program of tests/cli/low_limits.py: the real ones are reached by huge inputs
 * only. Each one is used in sources alone, not in a header, because only these sources are compiled again.
 */
#define PD_LOW_AHEAD_BYTES , 16384
#define PD_LOW_AHEAD_RECORDS , 64
#define PD_LOW_BINARY_RANGES , 64
#define PD_LOW_BUILD_IDS , 64
#define PD_LOW_CACHE_FILE_BYTES , 1024
#define PD_LOW_COMPARED_BYTES , 1024
#define PD_LOW_EDIT_BUILD_ID_BYTES , 1024
#define PD_LOW_EDIT_EVENT_TYPE_BYTES , 1024
#define PD_LOW_EVENT_IDS , 64
#define PD_LOW_FOREIGN_BYTES , 65536
#define PD_LOW_FOREIGN_MODULES , 64
#define PD_LOW_GO_TREE_FUNCTIONS , 64
#define PD_LOW_KEPT_SPECS , 8192
#define PD_LOW_LONG_NAMES_BYTES , 16384
#define PD_LOW_MAPPINGS , 64
#define PD_LOW_MINIDEBUG_ANY_RATIO , 4096
#define PD_LOW_MINIDEBUG_BYTES , (1 << 20)
#define PD_LOW_MODULE_BYTES , 4096
#define PD_LOW_NAME_TABLE_BYTES , 4096
#define PD_LOW_PACKAGE_SEARCHES , 4
#define PD_LOW_PLT_RELOCATIONS , 64
#define PD_LOW_RUNTIME_STEPS , 64
#define PD_LOW_SPLIT_UNITS , 4
#define PD_LOW_START_TEXT_BYTES , 1024
#define PD_LOW_STITCHED_FRAMES , 64
#define PD_LOW_UNIT_LOCATIONS , 64
#define PD_LOW_UNIT_RANGES , 64
