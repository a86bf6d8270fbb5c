/*
 * Call frame instructions, one row each: O(DW_CFA_ name, first operand, second operand, action).
 * DWARF 5, section 6.4.2 and figure 7.29, followed by extensions. The three instructions with an
 * operand within the opcode (advance_loc, offset, restore) are not listed.
 *
 * AARCH64_negate_ra_state means that the return address is signed from here on, or no longer is. It
 * is ignored, because signatures are removed from all return addresses. On SPARC the opcode is
 * GNU_window_save.
 *
 * Operands: REG is a register; U is an unsigned number; UF and SF are an unsigned and a signed
 * number times the data alignment factor; NF is an unsigned number times the negated factor; BLOCK
 * is an expression; ADDR is an address in the CIE's encoding; D1 to D8 are a distance of 1 to 8
 * bytes, times the code alignment factor.
 *
 * Actions are those of cfa_program.c. SET_<KIND> gives the register the rule UNW_RULE_<KIND>.
 */
/* clang-format off */
#define UNW_CFA_OPS(O)                                                                             \
	O(nop,                          NONE,  NONE,  NOTHING)                                     \
	O(set_loc,                      ADDR,  NONE,  SET_LOC)                                     \
	O(advance_loc1,                 D1,    NONE,  ADVANCE)                                     \
	O(advance_loc2,                 D2,    NONE,  ADVANCE)                                     \
	O(advance_loc4,                 D4,    NONE,  ADVANCE)                                     \
	O(offset_extended,              REG,   UF,    SET_OFFSET)                                  \
	O(restore_extended,             REG,   NONE,  RESTORE)                                     \
	O(undefined,                    REG,   NONE,  SET_UNDEFINED)                               \
	O(same_value,                   REG,   NONE,  SET_SAME)                                    \
	O(register,                     REG,   U,     SET_REGISTER)                                \
	O(remember_state,               NONE,  NONE,  REMEMBER)                                    \
	O(restore_state,                NONE,  NONE,  RECALL)                                      \
	O(def_cfa,                      REG,   U,     CFA)                                         \
	O(def_cfa_register,             REG,   NONE,  CFA_REG)                                     \
	O(def_cfa_offset,               U,     NONE,  CFA_OFF)                                     \
	O(def_cfa_expression,           BLOCK, NONE,  CFA_EXPR)                                    \
	O(expression,                   REG,   BLOCK, SET_EXPR)                                    \
	O(offset_extended_sf,           REG,   SF,    SET_OFFSET)                                  \
	O(def_cfa_sf,                   REG,   SF,    CFA)                                         \
	O(def_cfa_offset_sf,            SF,    NONE,  CFA_OFF)                                     \
	O(val_offset,                   REG,   UF,    SET_VAL_OFFSET)                              \
	O(val_offset_sf,                REG,   SF,    SET_VAL_OFFSET)                              \
	O(val_expression,               REG,   BLOCK, SET_VAL_EXPR)                                \
	O(MIPS_advance_loc8,            D8,    NONE,  ADVANCE)                                     \
	O(AARCH64_negate_ra_state,      NONE,  NONE,  NOTHING)                                     \
	O(GNU_args_size,                U,     NONE,  NOTHING)                                     \
	O(GNU_negative_offset_extended, REG,   NF,    SET_OFFSET)
/* clang-format on */
