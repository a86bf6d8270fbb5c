/**
 * @file Opening the events of a session, and mapping the rings that they write to.
 */
#ifndef PD_CAPTURE_SESSION_OPEN_H
#define PD_CAPTURE_SESSION_OPEN_H

#include "capture/session.h"

/**
 * Open the events of a prepared session for its target, disabled, and map a ring for each CPU. On
 * an error everything is closed again.
 */
struct pd_error *cap_session_open(struct cap_session *session) pd_must_check;

/**
 * Open the events of an open session for the threads of its target from number @p first on as well,
 * and enable them if the session is enabled. Events of threads that have exited are closed first.
 * On an error the session is as before.
 */
struct pd_error *cap_session_add_threads(struct cap_session *session, size_t first) pd_must_check;

#endif
