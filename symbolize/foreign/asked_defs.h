/*
 * Reasons why an address in a profile of another program has no name: U(NAME, "text for people").
 */
#define SYM_UNNAMED(U) \
	U(NO_MODULE, "in no mapping") \
	U(OUTSIDE, "outside of its mapping") \
	U(NO_IMAGE, "in a mapping that is not of a file") \
	U(BAD_ID, "of a binary whose build id is not one of ELF files") \
	U(NO_FILE, "of a binary that was not found") \
	U(OTHER_BUILD, "of a binary that was found in another build only") \
	U(NO_SYMBOL, "without a symbol in the binary")
