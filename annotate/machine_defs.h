/*
 * Machines as the disassembler knows them: M(arch, target, triple, thumb, cpu, features, step,
 * origin).
 *
 *   arch      pd_arch_<arch>
 *   target    LLVM's name in LLVMInitialize<target>Disassembler
 *   triple    machine for LLVM, and that of Thumb code or NULL
 *   cpu       a recent processor, if that selects the instructions that LLVM knows; features are
 *             those to add. LLVM prints a warning for names that it does not know, so they are
 *             as old as LLVM 14.
 *   step      smallest size of an instruction in bytes, by which bytes are skipped that are none
 *   origin    address to which the operand of a branch is relative in LLVM's text: START or END of
 *             the instruction, PIPELINE (Arm: 8 bytes after the start, Thumb: 4), ZERO, or
 *             START_OR_ZERO by the version of LLVM
 */
/* clang-format off */
#define ANN_MACHINES(M) \
	M(x86_64, "X86", "x86_64-linux-gnu", NULL, "", "", 1, END) \
	M(i386, "X86", "i386-linux-gnu", NULL, "", "", 1, END) \
	M(aarch64, "AArch64", "aarch64-linux-gnu", NULL, "", \
		"+v8.7a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+crypto,+fullfp16," \
		"+bf16,+i8mm,+f32mm,+f64mm,+mte,+rand,+tme", 4, START) \
	M(arm, "ARM", "armv8a-linux-gnueabihf", "thumbv8a-linux-gnueabihf", "", \
		"+neon,+vfp4,+fp-armv8,+crypto,+crc,+hwdiv,+hwdiv-arm,+mp,+trustzone," \
		"+virtualization,+fullfp16,+dotprod", 4, PIPELINE) \
	M(riscv64, "RISCV", "riscv64-linux-gnu", NULL, "", \
		"+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs", 2, START) \
	M(s390x, "SystemZ", "s390x-linux-gnu", NULL, "arch14", "", 2, START_OR_ZERO) \
	M(ppc64, "PowerPC", "powerpc64-linux-gnu", NULL, "pwr10", "", 4, START) \
	M(ppc64le, "PowerPC", "powerpc64le-linux-gnu", NULL, "pwr10", "", 4, START)

/*
 * Direct branches: B(arch, pattern, kind). The pattern (fnmatch) is for the mnemonic; the target is
 * the last operand, if that is a number. The first row that matches decides. JUMP, CALL and
 * NONE are kinds of enum ann_branch.
 */
#define ANN_BRANCHES(B) \
	B(x86_64, "call*", CALL) \
	B(x86_64, "j*", JUMP) \
	B(x86_64, "loop*", JUMP) \
	B(x86_64, "xbegin", JUMP) \
	B(i386, "call*", CALL) \
	B(i386, "j*", JUMP) \
	B(i386, "loop*", JUMP) \
	B(i386, "xbegin", JUMP) \
	B(aarch64, "bl", CALL) \
	B(aarch64, "b", JUMP) \
	B(aarch64, "b.*", JUMP) \
	B(aarch64, "[ct]b*z", JUMP) \
	B(arm, "b", JUMP) \
	B(arm, "b.[wn]", JUMP) \
	B(arm, "b[ceglmnphv][ceilqst]", JUMP) \
	B(arm, "b[ceglmnphv][ceilqst].[wn]", JUMP) \
	B(arm, "bl[sot]", JUMP) \
	B(arm, "bl[sot].[wn]", JUMP) \
	B(arm, "bl*", CALL) \
	B(arm, "cb*z", JUMP) \
	B(riscv64, "jal", CALL) \
	B(riscv64, "j", JUMP) \
	B(riscv64, "beq*", JUMP) \
	B(riscv64, "bne*", JUMP) \
	B(riscv64, "b[lg][te]*", JUMP) \
	B(s390x, "bras*", CALL) \
	B(s390x, "j*", JUMP) \
	B(s390x, "br[cx]*", JUMP) \
	B(s390x, "c*j*", JUMP) \
	B(ppc64, "bc[lct]*r*", NONE) \
	B(ppc64, "bl", CALL) \
	B(ppc64, "bcl*", CALL) \
	B(ppc64, "b*", JUMP) \
	B(ppc64le, "bc[lct]*r*", NONE) \
	B(ppc64le, "bl", CALL) \
	B(ppc64le, "bcl*", CALL) \
	B(ppc64le, "b*", JUMP)
/* clang-format on */
