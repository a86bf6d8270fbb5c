/**
 * @file Where the build id of a mapped file is known from, and so what it says about the file.
 */
#ifndef PD_BASE_ID_ORIGIN_H
#define PD_BASE_ID_ORIGIN_H

enum base_id_origin {
	/** Recorded with the mapping: it is that of the file. */
	PD_ID_OF_MAPPING,
	/**
	 * Recorded with the path: it is that of the file that the recorder found there at the end.
	 * That is another one if the file was replaced, or if the process had another root.
	 */
	PD_ID_OF_PATH,
	/** The same, and several files of that path were mapped, this one in its own way. */
	PD_ID_OF_NAMESAKE,
	/** The same, and another file of that path was mapped in the same way as this one. */
	PD_ID_OF_TWIN,
};

#endif
