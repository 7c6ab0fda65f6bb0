import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { releaseQuery } from '../../api/queries/releases.ts';
import type { Release } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Columns, Details, PageHead, Section } from '../../parts/page.tsx';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Elapsed, Time } from '../../parts/time.tsx';
import { PromotionDecision } from './promotion-decision.tsx';

const route = getRouteApi('/signed-in/$org/releases/$release');

/** One version of a Product: its build, its tag, and its promotion zone by zone. */
export function ReleasePage() {
  const { org, release: name } = route.useParams();
  const { data: release } = useSuspenseQuery(releaseQuery(org, name));
  useLive({ kind: 'releases', org, name });
  const { spec, status } = release;
  return (
    <>
      <PageHead title={`${spec.product} ${spec.version}`}>
        <Phase phase={status?.phase ?? 'Building'} />
      </PageHead>
      {status?.zones
        .filter(({ phase }) => phase === 'WaitingForApproval')
        .map((zone) => (
          <PromotionDecision key={zone.name} release={release} zone={zone} />
        ))}
      {status?.failure && <Failure title="This Release failed" failure={status.failure} />}
      {status?.zones.flatMap(({ name: zone, failure }) =>
        failure ? [<Failure key={zone} title={`The promotion to ${zone} failed`} failure={failure} />] : [],
      )}
      <Columns aside={<ReleaseDetails release={release} />}>
        <Section id="zones" title="Zones" note="In promotion order">
          <Zones release={release} />
        </Section>
      </Columns>
    </>
  );
}

const Zones = ({ release: { status } }: { release: Release }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Zone</th>
        <th scope="col">Phase</th>
        <th scope="col">Decided by</th>
        <th scope="col">Verified</th>
        <th scope="col" className={table['n']}>
          Took
        </th>
      </tr>
    </thead>
    <tbody>
      {status?.zones.map(({ name, phase, address, decision, startedAt, verifiedAt, waitingFor }) => (
        <tr key={name}>
          <th scope="row">
            {address === undefined ? (
              name
            ) : (
              <a className={table['title']} href={address} rel="noreferrer">
                {name}
              </a>
            )}
          </th>
          <td data-l="Phase">
            <Phase phase={phase} />
          </td>
          <td data-l="Decided by">{decision ? decision.by.split('@')[0] : waitingFor ? `a ${waitingFor.role}` : ''}</td>
          <td data-l="Verified">{verifiedAt !== undefined && <Time at={verifiedAt} />}</td>
          <td data-l="Took" className={table['n']}>
            {startedAt !== undefined && verifiedAt !== undefined && <Elapsed from={startedAt} to={verifiedAt} />}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const ReleaseDetails = ({ release: { org, name, spec, status } }: { release: Release }) => (
  <section>
    <h2>This Release</h2>
    <Details
      items={[
        ['Name', <code key="name">{name}</code>],
        [
          'Product',
          <Link key="product" to="/$org/products/$product" params={{ org, product: spec.product }}>
            {spec.product}
          </Link>,
        ],
        ['Repo', spec.repo],
        ['Commit', <code key="commit">{spec.commit.slice(0, 12)}</code>],
        spec.run !== undefined && [
          'Change',
          <Link key="run" to="/$org/changes/$run" params={{ org, run: spec.run }}>
            {spec.run}
          </Link>,
        ],
        ['Started by', spec.startedBy],
        status?.builtAt !== undefined && ['Built', <Time key="built" at={status.builtAt} />],
        status?.taggedAt !== undefined && ['Tagged', <Time key="tagged" at={status.taggedAt} />],
        status?.digest !== undefined && ['Image', <code key="digest">{status.digest.slice(0, 19)}</code>],
      ]}
    />
  </section>
);
