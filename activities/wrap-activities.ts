import { Context } from '@temporalio/activity';
import { toFailure } from './to-failure.ts';
import { type HeartbeatPace, withHeartbeat } from './with-heartbeat.ts';

type AnyActivities = Record<string, (...args: never[]) => Promise<unknown>>;

/** Adds heartbeats and the translation of refusals to every activity. */
export function wrapActivities<T extends AnyActivities>(activities: T, pace: HeartbeatPace = {}): T {
  const entries = Object.entries(activities).map(([name, run]) => [name, wrapActivity(run, pace)]);
  return Object.fromEntries(entries) as T;
}

function wrapActivity(run: AnyActivities[string], pace: HeartbeatPace): AnyActivities[string] {
  return async (...args) => {
    try {
      const work = async (): Promise<unknown> => await run(...args);
      return Context.current().info.isLocal ? await work() : await withHeartbeat(work, pace);
    } catch (error) {
      throw toFailure(error);
    }
  };
}
