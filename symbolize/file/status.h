/**
 * @file Whether a file was used, and if not, why.
 */
#ifndef PD_SYMBOLIZE_FILE_STATUS_H
#define PD_SYMBOLIZE_FILE_STATUS_H

/** Result of the search for a binary. */
enum sym_status {
	SYM_FOUND,
	SYM_NO_FILE,	    /**< There is no such file. */
	SYM_WRONG_BUILD_ID, /**< A file exists, but of another build. */
	SYM_UNREADABLE,	    /**< A file exists that cannot be opened or read. */
	SYM_NOT_ELF,	    /**< A file exists that is not a valid ELF file. */
	SYM_NO_IMAGE, /**< The name is not that of a file: anonymous memory, [stack], JIT code. */
};

/** Reason why a file cannot be used. */
struct sym_failure {
	enum sym_status status;
	/** Predicate of a sentence about the file, such as "is not an ELF file". Static storage. */
	const char *text;
};

#endif
