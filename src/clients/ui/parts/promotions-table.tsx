import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/generated/openapi.ts';
import { promotionsQuery } from '../api/queries/promotions.ts';
import { useShowMore } from './use-show-more.tsx';
import { Section } from './page.tsx';
import { Person } from './person.tsx';
import { ProblemNotice } from './problem.tsx';
import { Phase } from './state.tsx';
import table from './table.module.css';
import { Elapsed, Time } from './time.tsx';
import { toWaitedFor } from './waited-for.ts';

type Promotion = Schemas['Promotion'];
const rowsFirst = 10;
const triggers: Record<Promotion['spec']['trigger'], string> = {
  release: 'Release',
  manual: 'Manual',
  rollback: 'Rollback',
};

/** Every attempt to bring a Release into a zone: who requested it, who decided, and how it ended. */
export function PromotionsSection({ org, of }: { org: string; of: { release: string } | { zone: string } }) {
  const { data, error } = useQuery(promotionsQuery(org, of));
  const { shown, more } = useShowMore(data?.items ?? [], rowsFirst);
  if (!data && !error) return null;
  return (
    <Section id="promotions" title="Promotions" note="Every attempt, newest first">
      {error && <ProblemNotice error={error} />}
      {data?.items.length === 0 && <p className="dim">None yet.</p>}
      {shown.length > 0 && (
        <table className={`${table['tbl']} ${table['mid']}`}>
          <thead>
            <tr>
              <th scope="col">{'zone' in of ? 'Version' : 'Zone'}</th>
              <th scope="col">Outcome</th>
              <th scope="col">Requested by</th>
              <th scope="col">Decided by</th>
              <th scope="col">gitops commit</th>
              <th scope="col" className={table['n']}>
                Took
              </th>
              <th scope="col" className={table['n']}>
                Requested
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((promotion) => (
              <Row key={promotion.name} promotion={promotion} isOfZone={'zone' in of} />
            ))}
          </tbody>
        </table>
      )}
      {more}
    </Section>
  );
}

function Row({ promotion: { org, spec, status, createdAt }, isOfZone }: { promotion: Promotion; isOfZone: boolean }) {
  const { product, zone, release, version, trigger, startedBy } = spec;
  return (
    <tr>
      <th scope="row">
        {isOfZone ? (
          <Link className={table['title']} to="/$org/releases/$release" params={{ org, release }}>
            {version}
          </Link>
        ) : (
          <Link className={table['title']} to="/$org/products/$product/zones/$zone" params={{ org, product, zone }}>
            {zone}
          </Link>
        )}
      </th>
      <td data-l="Outcome">
        <Phase phase={status?.phase ?? 'Pending'} />
        {status?.failure && <span className="small dim"> {status.failure.message}</span>}
      </td>
      <td data-l="Requested by">
        <span className="row wrap">
          {startedBy.includes('@') ? <Person email={startedBy} /> : startedBy}
          {trigger !== 'release' && <span className="dim">{triggers[trigger]}</span>}
        </span>
      </td>
      <td data-l="Decided by">
        <DecidedBy status={status} />
      </td>
      <td data-l="gitops commit">{status?.gitopsCommit && <code>{status.gitopsCommit.slice(0, 7)}</code>}</td>
      <td data-l="Took" className={table['n']}>
        {status?.startedAt && <Elapsed from={status.startedAt} to={status.finishedAt} />}
      </td>
      <td data-l="Requested" className={table['n']}>
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function DecidedBy({ status }: { status: Promotion['status'] | undefined }) {
  const { decision, waitingFor } = status ?? {};
  if (waitingFor) return <span className="dim">{toWaitedFor(waitingFor.role)}, not yet</span>;
  if (!decision) return <span className="dim">–</span>;
  return (
    <span className="row wrap">
      <Person email={decision.by} />
      <span className="dim">
        {decision.outcome}, {decision.role}
        {decision.note !== undefined && `: ${decision.note}`}
      </span>
    </span>
  );
}
