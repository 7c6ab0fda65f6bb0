import { ActivityCancellationType, type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';

/** Our own store: quick, written to no history of its own, and worth retrying for as long as the store is away. */
export const store = {
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '1 minute',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
} satisfies LocalActivityOptions;

/** Every activity heartbeats: this long after its worker has died, another takes it up. */
const heartbeatTimeout = '10 seconds';

/** Somebody else's API: give up on an attempt after a minute, back off up to five. */
export const outside = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '5 minutes' },
} satisfies ActivityOptions;

/**
 * Writes to the gitops repo: what comes after does not begin before it has stopped writing. A zone waits for it, and a
 * worker that died is no reason to wait longer.
 */
export const gitops = {
  ...outside,
  // Those of one worker take turns.
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '15 seconds' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

/** Waits on somebody else's controller or app: alive while it heartbeats, taken up by another worker soon after it does not. */
export const watching = {
  startToCloseTimeout: '2 hours',
  heartbeatTimeout,
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
} satisfies ActivityOptions;

/**
 * A picture of a site, by a worker that has a browser. Nobody may have one: then that is said, rather than waited for.
 * Twice more after a worker has died, and no longer than a picture is of use.
 */
export const browser = {
  scheduleToStartTimeout: '5 minutes',
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumAttempts: 3 },
} satisfies ActivityOptions;

/**
 * An hour of rounds of questions. It beats seldom, because every beat is a write and there may be many of these; a
 * minute after its worker has died another takes it up.
 */
export const rounds = {
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
} satisfies ActivityOptions;

/** Added where one host has what another would have to make anew: soon that is quicker than waiting. */
export const atHost = { scheduleToStartTimeout: '5 seconds' } satisfies ActivityOptions;

/**
 * One turn of an agent: minutes long, alive while it heartbeats. Retrying is safe because a turn that was answered is
 * not asked again; thirty attempts outlast an outage of an hour without asking for ever.
 */
export const agent = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout,
  // A cancelled run takes its branch away: not before the turn has stopped pushing to it.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '2 minutes', maximumAttempts: 30 },
} satisfies ActivityOptions;
