import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { releaseQuery } from '../../api/queries/releases.ts';
import type { Change, ReleaseZone } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.tsx';
import { PromotionDecisions } from '../release/promotion-decisions.tsx';
import { ReleaseFailures } from '../release/release-failures.tsx';
import styles from './released.module.css';

type Props = { org: string; release: string };

/** The promotions of a Change's Release that wait for a person, and why it got no further. */
export function Promotions({ org, release: name }: Props) {
  const { data: release } = useQuery(releaseQuery(org, name));
  useLive({ kind: 'releases', org, name });
  return (
    release && (
      <>
        <PromotionDecisions key={name} release={release} />
        <ReleaseFailures release={release}>
          <Link to="/$org/releases/$release" params={{ org, release: name }}>
            Release {release.spec.version}
          </Link>
        </ReleaseFailures>
      </>
    )
  );
}

/** The zones that the Release of a Change has reached. */
export function WhereItRuns({ change, release: name }: { change: Change; release: string }) {
  const { org, name: run } = change;
  const { data: release } = useQuery(releaseQuery(org, name));
  const zones = release?.status?.zones ?? [];
  if (!release || zones.length === 0) return null;
  return (
    <Section
      id="zones"
      title="Where it runs"
      aside={
        <Link to="/$org/releases/$release" params={{ org, release: name }}>
          Release {release.spec.version}
        </Link>
      }
    >
      <table className={`${table['tbl']} ${table['mid']}`}>
        <thead>
          <tr>
            <th>Zone</th>
            <th>Phase</th>
            <th className={table['n']}>Since</th>
            <th className={table['n']}>Screenshot</th>
          </tr>
        </thead>
        <tbody>
          {zones.map((zone) => (
            <tr key={zone.name}>
              <th scope="row" className={table['title']}>
                {zone.address === undefined ? (
                  zone.name
                ) : (
                  <OutsideLink className={table['title']} href={zone.address}>
                    {zone.name}
                  </OutsideLink>
                )}
              </th>
              <td>
                <Phase phase={zone.phase} />
                {zone.failure && <span className="small dim"> {zone.failure.message}</span>}
              </td>
              <td className={table['n']} data-l="Since">
                <Since zone={zone} />
              </td>
              <td className={table['n']} data-l="Screenshot">
                {zone.screenshot ? (
                  <Link
                    className={styles['shot']}
                    to="/$org/changes/$run/evidence/$id"
                    params={{ org, run, id: zone.screenshot.artifact.replace(/^artifact:/, '') }}
                  >
                    <img
                      src={`/api/v1/orgs/${org}/artifacts/${zone.screenshot.artifact.replace(/^artifact:/, '')}`}
                      alt={`Screenshot of ${zone.name}`}
                      width={128}
                      height={80}
                      loading="lazy"
                    />
                  </Link>
                ) : (
                  <span className="faint">After it is Healthy</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Since({ zone: { verifiedAt, healthyAt, waitingFor, startedAt } }: { zone: ReleaseZone }) {
  const at = verifiedAt ?? healthyAt ?? waitingFor?.since ?? startedAt;
  return at === undefined ? null : <Time at={at} />;
}
