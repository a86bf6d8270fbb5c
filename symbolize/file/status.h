/**
 * @file Why a file was used or not.
 */
#ifndef PD_SYMBOLIZE_FILE_STATUS_H
#define PD_SYMBOLIZE_FILE_STATUS_H

/** How the search for a binary ended. */
enum sym_status {
	SYM_FOUND,
	SYM_NO_FILE,	    /**< No such file anywhere. */
	SYM_WRONG_BUILD_ID, /**< There is a file, of another build. */
	SYM_UNREADABLE,	    /**< There is a file that cannot be opened or read. */
	SYM_NOT_ELF,	    /**< There is a file, which is not an ELF file, or a damaged one. */
	SYM_NO_IMAGE, /**< The name stands for no file: anonymous memory, [stack], JIT code. */
};

/** Why a file cannot be used. */
struct sym_failure {
	enum sym_status status;
	/** As in "PATH: is no ELF file". Static storage. */
	const char *text;
};

#endif
