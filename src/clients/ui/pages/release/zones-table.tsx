import { Link } from '@tanstack/react-router';
import type { Release, ReleaseZone } from '../../api/types.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Person } from '../../parts/person.tsx';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.tsx';
import { toWaitedFor } from '../../parts/waited-for.ts';

/** Each zone with who decided, the pull request that brought the Release, and what the check saw. */
export const ZonesTable = ({ release: { org, spec, name: release, status } }: { release: Release }) => (
  <Section id="zones" title="Zones" note="In promotion order">
    {(status?.zones ?? []).length === 0 ? (
      <p className="dim">It has not reached a zone.</p>
    ) : (
      <table className={`${table['tbl']} ${table['mid']}`}>
        <thead>
          <tr>
            <th scope="col">Zone</th>
            <th scope="col">Phase</th>
            <th scope="col">Decided by</th>
            <th scope="col">Pull request</th>
            <th scope="col">Smoke check</th>
            <th scope="col" className={table['n']}>
              Verified
            </th>
          </tr>
        </thead>
        <tbody>
          {status?.zones.map((zone) => (
            <tr key={zone.name}>
              <th scope="row">
                <Link
                  className={table['title']}
                  to="/$org/products/$product"
                  params={{ org, product: spec.product }}
                  search={{ promote: zone.name, release }}
                >
                  {zone.name}
                </Link>
              </th>
              <td data-l="Phase">
                <Phase phase={zone.phase} />
              </td>
              <td data-l="Decided by">
                <Decision zone={zone} />
              </td>
              <td data-l="Pull request">
                {zone.pullRequest && (
                  <OutsideLink href={zone.pullRequest.url}>gitops #{zone.pullRequest.number}</OutsideLink>
                )}
              </td>
              <td data-l="Smoke check">{describeCheck(zone.smokeCheck)}</td>
              <td data-l="Verified" className={table['n']}>
                {zone.verifiedAt !== undefined && <Time at={zone.verifiedAt} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
);

function Decision({ zone: { decision, waitingFor } }: { zone: ReleaseZone }) {
  if (waitingFor) return <span className="dim">{toWaitedFor(waitingFor.role)}, not yet</span>;
  if (!decision) return <span className="dim">arrives automatically</span>;
  return (
    <span className="row wrap">
      <Person email={decision.by} />
      {decision.outcome === 'rejected' && <span>rejected it</span>}
      {decision.note !== undefined && <span className="dim">{decision.note}</span>}
    </span>
  );
}

function describeCheck(check: ReleaseZone['smokeCheck']): string {
  if (!check) return '';
  const time = check.durationMs === undefined ? '' : ` in ${check.durationMs} ms`;
  return check.status === undefined ? (check.response ?? 'no answer') : `${check.status}${time}`;
}
