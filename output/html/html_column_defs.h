/*
 * Table of the columns of the html format: H(NAME, "name", KIND), in the order of the file. They
 * are described in doc/design/html.md. KIND is VARINT (unsigned LEB128), DELTA (differences to the
 * value before, zigzag and LEB128) or BYTES.
 */
/* clang-format off */
#define HTML_COLUMNS(H)                                   \
	H(STRING_LENGTH, "string.length", VARINT)         \
	H(STRING_TEXT, "string.text", BYTES)              \
	H(BINARY_NAME, "binary.name", VARINT)             \
	H(BINARY_KIND, "binary.kind", VARINT)             \
	H(FUNCTION_NAME, "function.name", VARINT)         \
	H(FUNCTION_FILE, "function.file", VARINT)         \
	H(FUNCTION_LINE, "function.line", VARINT)         \
	H(FUNCTION_BINARY, "function.binary", VARINT)     \
	H(FUNCTION_OUTSIDE, "function.outside", VARINT)   \
	H(FRAME_FUNCTION, "frame.function", VARINT)       \
	H(FRAME_LINE, "frame.line", VARINT)               \
	H(FRAME_FLAGS, "frame.flags", VARINT)             \
	H(FRAME_INSTRUCTION, "frame.instruction", VARINT) \
	H(NODE_UP, "node.up", VARINT)                     \
	H(NODE_FRAME, "node.frame", VARINT)               \
	H(LEAF_NODE, "leaf.node", DELTA)                  \
	H(SAMPLE_TIME, "sample.time", DELTA)              \
	H(SAMPLE_LEAF, "sample.leaf", VARINT)             \
	H(SAMPLE_THREAD, "sample.thread", VARINT)         \
	H(SAMPLE_CPU, "sample.cpu", VARINT)               \
	H(SAMPLE_EVENT, "sample.event", VARINT)           \
	H(SAMPLE_WEIGHT, "sample.weight", VARINT)         \
	H(SAMPLE_COUNT, "sample.count", VARINT)           \
	H(SAMPLE_END, "sample.end", VARINT)               \
	H(MARK_TIME, "mark.time", DELTA)                  \
	H(MARK_THREAD, "mark.thread", VARINT)             \
	H(MARK_KIND, "mark.kind", VARINT)                 \
	H(MARK_COUNT, "mark.count", VARINT)               \
	H(LANE_THREAD, "lane.thread", VARINT)             \
	H(LANE_BEGIN, "lane.begin", DELTA)                \
	H(LANE_PIECES, "lane.pieces", VARINT)             \
	H(PIECE_STATE, "piece.state", VARINT)             \
	H(PIECE_NS, "piece.ns", VARINT)                   \
	H(MIX_NS, "mix.ns", VARINT)                       \
	H(WAIT_REASON, "wait.reason", VARINT)             \
	H(WAIT_WAKER, "wait.waker", VARINT)               \
	H(WAIT_INTERRUPT, "wait.interrupt", VARINT)       \
	H(WAIT_LEAF, "wait.leaf", VARINT)                 \
	H(WAIT_WAKER_LEAF, "wait.waker_leaf", VARINT)     \
	H(STEP_THREAD, "step.thread", VARINT)             \
	H(STEP_INSTEAD, "step.instead", VARINT)           \
	H(CODE_FUNCTION, "code.function", VARINT)         \
	H(CODE_START, "code.start", VARINT)               \
	H(CODE_NOTE, "code.note", VARINT)                 \
	H(CODE_LENGTH, "code.length", VARINT)             \
	H(CODE_ROWS, "code.rows", VARINT)                 \
	H(INSTRUCTION_OFFSET, "instruction.offset", VARINT) \
	H(INSTRUCTION_GAP, "instruction.gap", VARINT)     \
	H(INSTRUCTION_TEXT, "instruction.text", VARINT)   \
	H(INSTRUCTION_JUMP, "instruction.jump", VARINT)   \
	H(INSTRUCTION_PLACE, "instruction.place", VARINT) \
	H(PLACE_CALLER, "place.caller", VARINT)           \
	H(PLACE_FUNCTION, "place.function", VARINT)       \
	H(PLACE_LINE, "place.line", VARINT)               \
	H(SOURCE_PATH, "source.path", VARINT)             \
	H(SOURCE_NOTE, "source.note", VARINT)             \
	H(SOURCE_ROWS, "source.rows", VARINT)             \
	H(LINE_NUMBER, "line.number", DELTA)              \
	H(LINE_TEXT, "line.text", VARINT)
/* clang-format on */
