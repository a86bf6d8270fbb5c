/*
 * Input of the preprocessor for doc/structs.awk: expands the tables of the public headers to lines
 * of include/pdconv/structs.h. Not for programs.
 */
#include <pdconv/attr_defs.h>
#include <pdconv/feature_defs.h>
#include <pdconv/header_defs.h>
#include <pdconv/record_defs.h>

#include "parse/member.h"

#undef PD_MEMBER
#define PD_MEMBER(T, kind, name, format, meaning) @field PD_TYPE_##kind @called name @text meaning
#define STRUCT(member, fields) @struct member fields(PD_MEMBER, ) @end
#define RECORD(name, type, misc, member, fields, has_sid) @record PD_RECORD_##name @for member @end
#define BODY(name, type, misc, member, fields, has_sid) STRUCT(member, fields)
#define ATTR(kind, name, offset, format, bits, meaning) @field PD_TYPE_##kind @called name @text meaning
#define FLAG(bit, width, name) @flag PD_ATTR_##name @for bit @end

@section attr.h
@struct attr PD_ATTR_FIELDS(ATTR) @end
PD_ATTR_FLAGS(FLAG)
PD_RECORDS(RECORD)
@section record.h
PD_RECORD_STRUCTS(STRUCT)
PD_RECORDS(BODY)
@section feature.h
PD_FEATURE_STRUCTS(STRUCT)
@section header.h
PD_HEADER_STRUCTS(STRUCT)
@section
