import { DefaultFailureConverter } from '@temporalio/common';

/** Moves failure messages into payloads, so that they are encrypted like payloads. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
