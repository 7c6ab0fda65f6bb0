/** Label the objects that a sweep deletes once they are of no more use. */
export const connectionStateLabels = { 'service.delivery/connection-state': 'true' };
export const deviceSignInLabels = { 'service.delivery/device-sign-in': 'true' };
/** Labels the Secret with the recovery key of a restore; its workflow deletes it earlier. */
export const restoreKeyLabels = { 'service.delivery/restore-key': 'true' };
/** Labels the counts of attempts to sign in, whose times expire. */
export const signInAttemptLabels = { 'service.delivery/sign-in-attempts': 'true' };
export const requestLabels = { 'service.delivery/request': 'true' };

/** Label the objects that contain the progress of a request or a sign-in, which change nothing. */
export const passingLabels = [requestLabels, connectionStateLabels, deviceSignInLabels, signInAttemptLabels];

/** Far longer than a client repeats a request, or a workflow waits before it reads one. */
export const requestTtlMs = 30 * 24 * 60 * 60_000;

/** Returns true when a time is past, and false when there is none. */
export const isPast = (time: string | undefined, now: Date): boolean =>
  time !== undefined && Date.parse(time) <= now.getTime();
