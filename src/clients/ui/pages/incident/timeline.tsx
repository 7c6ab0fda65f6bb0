import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Incident } from '../../api/queries/incidents.ts';
import { promotionsQuery } from '../../api/queries/promotions.ts';
import { toActor, toOpenedAt } from '../../parts/incident-state.ts';
import { useShowMore } from '../../parts/use-show-more.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { listEntries, type Entry } from './list-entries.ts';
import styles from './incident.module.css';

const entriesFirst = 60;

/** Shows what happened, newest first, with the Promotions to the zone during the incident and in the day before. */
export function Timeline({ incident }: { incident: Incident }) {
  const { org, spec } = incident;
  const { data: promotions, error } = useQuery({
    ...promotionsQuery(org, { zone: spec.zone ?? '' }),
    enabled: spec.zone !== undefined,
  });
  const { shown, more } = useShowMore(listEntries(incident, promotions?.items ?? []), entriesFirst);
  return (
    <>
      {error && <ProblemNotice error={error} />}
      <ol className={styles['events']}>
        {shown.map((entry) => (
          <li key={entry.key}>
            <span className="faint num">
              <Time at={entry.at} />
            </span>
            <Mark state={entry.mark} />
            <div>
              <p className={styles['text']}>
                <Words org={org} entry={entry} />
                {Date.parse(entry.at) < Date.parse(toOpenedAt(incident)) && (
                  <span className="faint"> Before the incident</span>
                )}
              </p>
              <p className="small faint">
                {toActor(entry.by)}
                {entry.isPublic && ', on the status page'}
              </p>
            </div>
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

const Words = ({ org, entry: { what, text, release } }: { org: string; entry: Entry }) => (
  <>
    {release && (
      <Link to="/$org/releases/$release" params={{ org, release: release.name }}>
        {release.version}
      </Link>
    )}{' '}
    {what !== undefined && (release ? what : <b>{what}</b>)}
    {text !== undefined && (what === undefined ? text : ` ${text}`)}
  </>
);
