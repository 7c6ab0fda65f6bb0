import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { domainQuery, domainsQuery } from '../../api/queries/domains.ts';
import { explainQuery } from '../../api/queries/explain.ts';
import type { State } from '../../parts/phase-state.ts';
import { CurlLine } from '../../parts/curl-line.tsx';
import { every } from '../../live/live-state.ts';
import { useLive } from '../../live/live.tsx';
import { useShowMore } from '../../parts/use-show-more.tsx';
import { PageHead, Section } from '../../parts/page.tsx';
import page from '../../parts/page.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark, Tag } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Ago } from '../../parts/time.tsx';
import { AddDomain } from '../domains/add-domain.tsx';
import { kinds, toDomainState, toNextCheck, type Domain } from '../domains/domain-state.ts';
import { DomainTable } from '../domains/domain-table.tsx';
import { CheckDomain, useDomainCheck } from './check-domain.tsx';
import { Findings } from './findings.tsx';
import { formatSecond } from './format-second.ts';
import { Records } from './records.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { domainRoute } from './route.ts';
import styles from './domain.module.css';

/** A domain: what its DNS says, what is expected there, and when the service checks again. */
export function DomainPage() {
  const { org, domain: name } = domainRoute.useParams();
  const { data: domain, error } = useSuspenseQuery({ ...domainQuery(org, name), refetchInterval: every(5_000) });
  const { data: domains } = useSuspenseQuery(domainsQuery(org));
  useLive({ kind: 'domains', org }, { kind: 'domains', org, name: domain.name });
  const check = useDomainCheck(org, domain.name);
  const { status, spec } = domain;
  const [state, words] = toDomainState(status);
  const isOpen = status.state !== 'Verified' || status.absentSince !== undefined;
  return (
    <>
      <PageHead
        title={name}
        tag={
          <Tag state={state}>
            <Mark state={state} />
            {words}
          </Tag>
        }
        actions={
          <>
            <RemoveDomain domain={domain} />
            <CheckDomain domain={domain} check={check} />
          </>
        }
      >
        {kinds[spec.kind]}
        {status.claimedAt !== undefined && (
          <>
            , added <Ago since={status.claimedAt} />
          </>
        )}
        .{' '}
        {status.state === 'Verified'
          ? 'Zones can have addresses under it.'
          : 'Usable for addresses once its ownership is proven.'}
      </PageHead>
      {error && <ProblemNotice error={error} />}
      {check.error && <ProblemNotice error={check.error} />}
      <Situation domain={domain} />
      {isOpen && <WhyNot org={org} name={name} known={findMessage(domain)} />}
      {status.checks && <Findings domain={domain} checks={status.checks} />}
      {domain.records.length > 0 && <Records domain={domain} />}
      <Addresses domain={domain} />
      <Section id="domains" title={`All domains of ${org}`} aside={<AddDomain org={org} />}>
        {domains.items.length > 0 && <DomainTable domains={domains.items} current={name} />}
      </Section>
      <CurlLine path={`/orgs/${org}/domains/${name}`} />
    </>
  );
}

const findMessage = ({ status }: Domain): string | undefined => status.removalMessage ?? status.message;

/** Tells the owner what to do, and when the service checks again. */
function Situation({ domain }: { domain: Domain }) {
  const { status } = domain;
  const [state] = toDomainState(status);
  const message = findMessage(domain);
  const next = toNextCheck(status);
  if (message === undefined && status.lastCheckedAt === undefined) return null;
  return (
    <div className={`${page['notice']} ${styles['situation']}`} data-state={state}>
      <Mark state={state} />
      <p>{message ?? 'The records are as expected. The TXT record stays in place: the service keeps checking it.'}</p>
      <span className={`${page['acts']} small dim`}>
        {status.lastCheckedAt === undefined ? 'Not asked yet' : `Last asked ${formatSecond(status.lastCheckedAt)}`}
        {next !== undefined && `, next about ${formatSecond(next)}`}
      </span>
    </div>
  );
}

const explained: Record<string, State> = { failed: 'failed', waiting: 'waiting', running: 'working', done: 'done' };

/** The rules that judged the domain, with what to do, besides the one whose message the page has already. */
function WhyNot({ org, name, known }: { org: string; name: string; known: string | undefined }) {
  const { data, error } = useQuery({ ...explainQuery(org, `domain:${name}`), refetchInterval: every(30_000) });
  const items = data?.items.filter(({ message }) => message !== known) ?? [];
  if (items.length === 0 && !error) return null;
  return (
    <Section id="why" title="Why it does not work yet">
      {error && <ProblemNotice error={error} />}
      <ul className={styles['why']}>
        {items.map(({ state, rule, message, fix }) => (
          <li key={rule}>
            <Mark state={explained[state] ?? 'idle'} />
            <div>
              {message} <small>{fix}</small>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const addressesFirst = 100;

function Addresses({ domain: { org, addresses } }: { domain: Domain }) {
  const { shown, more } = useShowMore(addresses, addressesFirst);
  return (
    <Section id="addresses" title="Addresses under it">
      {addresses.length === 0 ? (
        <p className="dim">None yet. The settings of a zone add one, once ownership is proven.</p>
      ) : (
        <table className={`${table['tbl']} ${table['tight']}`}>
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Product</th>
              <th scope="col">Zone</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ host, product, zone }) => (
              <tr key={host}>
                <th scope="row" className="mono">
                  {host}
                </th>
                <td data-l="Product">{product}</td>
                <td data-l="Zone">
                  <Link to="/$org/products/$product/zones/$zone/settings" params={{ org, product, zone }}>
                    {zone}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </Section>
  );
}
