import type { Reason } from '../src/errors.ts';
import { ActivityCancellationType, type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';

/** Activities on our own store are fast local activities, retried for as long as the store is unavailable. */
export const storeOptions = {
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '1 minute',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
} satisfies LocalActivityOptions;

/** Every activity heartbeats: when its worker has died, another worker retries it after this time. */
const heartbeatTimeout = '10 seconds';

/** Calls to an external API: an attempt ends after a minute, and retries back off to five minutes. */
export const externalApiOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '5 minutes' },
} satisfies ActivityOptions;

/** A merge that a cancelled run has begun completes, and its outcome decides how the run ends. */
export const mergeOptions = {
  ...externalApiOptions,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

/**
 * Writes to the gitops repo: the next write must not begin before a cancelled one has stopped. The zone waits for the
 * write, so a dead worker is retried soon.
 */
export const gitopsOptions = {
  ...externalApiOptions,
  // The writes of one worker run one after the other.
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '15 seconds' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

/** Waits for an external controller or an app: long, but retried soon after the heartbeats stop. */
export const watchOptions = {
  startToCloseTimeout: '2 hours',
  heartbeatTimeout,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
} satisfies ActivityOptions;

/** An archive of a large installation takes hours; it is written or read again soon after its worker has died. */
export const archiveOptions = {
  startToCloseTimeout: '12 hours',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 20 },
} satisfies ActivityOptions;

/**
 * Screenshots need a worker with a browser, and the installation may have none: the schedule-to-start timeout then ends
 * the wait. Two retries cover dead workers while the screenshot is still of use.
 */
export const browserOptions = {
  scheduleToStartTimeout: '5 minutes',
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumAttempts: 3 },
} satisfies ActivityOptions;

/**
 * An hour of DNS sweeps. Heartbeats are rare, because each one is a write to the server and there may be many sweeps.
 */
export const sweepOptions = {
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
} satisfies ActivityOptions;

/** Prefers the host that holds the checkout; a new checkout elsewhere soon costs less than a longer wait. */
export const checkoutHostOptions = { scheduleToStartTimeout: '5 seconds' } satisfies ActivityOptions;

/**
 * One turn of an agent takes minutes. Retries are safe because an answered turn is not sent to the model again. The
 * workflow itself retries when the model or the sandbox is unavailable, and shows why.
 */
export const agentTurnOptions = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout,
  // A cancelled run deletes its branch, and must not do so before the turn has stopped pushing to it.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: {
    initialInterval: '1 second',
    maximumInterval: '2 minutes',
    maximumAttempts: 30,
    // Each turn's history repeats the list, so it is short.
    nonRetryableErrorTypes: ['model-provider-unavailable', 'sandbox-unavailable'] satisfies Reason[],
  },
} satisfies ActivityOptions;
