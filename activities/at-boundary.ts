import { Context } from '@temporalio/activity';
import { alive } from './alive.ts';
import { toFailure } from './failure.ts';

type AnyActivities = Record<string, (...args: never[]) => Promise<unknown>>;

/** What every activity does alike, in one place: stay alive while it works, and say refusals in Temporal's terms. */
export function atBoundary<T extends AnyActivities>(activities: T): T {
  const entries = Object.entries(activities).map(([name, run]) => [name, guarded(run)]);
  return Object.fromEntries(entries) as T;
}

function guarded(run: AnyActivities[string]): AnyActivities[string] {
  return async (...args) => {
    try {
      const work = async (): Promise<unknown> => await run(...args);
      return Context.current().info.isLocal ? await work() : await alive(work);
    } catch (error) {
      throw toFailure(error);
    }
  };
}
