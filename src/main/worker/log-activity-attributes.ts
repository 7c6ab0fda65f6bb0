import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { toLogAttributes } from '../../../workflows/log-attributes.ts';

/** Adds the org and the run to every line that an activity logs, and to the SDK's own line about its failure. */
export const logActivityAttributes: ActivityInterceptorsFactory = () => {
  let attributes = {};
  return {
    inbound: {
      async execute(input, next) {
        attributes = toLogAttributes(input.args[0]);
        return await next(input);
      },
    },
    outbound: { getLogAttributes: (input, next) => next({ ...input, ...attributes }) },
  };
};
