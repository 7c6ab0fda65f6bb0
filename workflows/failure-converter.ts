import { DefaultFailureConverter } from '@temporalio/common';

/** Puts what failures say where payloads are, so that it is sealed with them. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
