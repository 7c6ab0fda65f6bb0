type AttemptRef = { releaseAttempt?: string | undefined; digest?: string | undefined };

/** Reports whether both belong to one attempt of a Release; the image decides if one of them names no attempt. */
export const isSameAttempt = (left: AttemptRef, right: AttemptRef): boolean =>
  left.releaseAttempt !== undefined && right.releaseAttempt !== undefined
    ? left.releaseAttempt === right.releaseAttempt
    : left.digest === right.digest;
