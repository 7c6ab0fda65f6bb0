import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery, waitingQuery } from '../../api/queries/me.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, PageHead, Section } from '../../parts/page.tsx';
import { Mark } from '../../parts/state.tsx';
import { Age, Time } from '../../parts/time.tsx';
import list from '../../parts/wait-list.module.css';

type Item = Schemas['WaitingItem'];

/** The start page: every decision that a person must make, the longest wait first. */
export function WaitingPage() {
  const { data: waiting } = useSuspenseQuery(waitingQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const mine = waiting.items.filter(isMine);
  const others = waiting.items.filter((item) => !isMine(item));
  const oldest = mine[0]?.since;
  return (
    <>
      <PageHead title={toTitle(mine.length)}>
        {oldest && (
          <>
            The oldest since <Time at={oldest} />.
          </>
        )}
      </PageHead>
      {mine.length > 0 && (
        <Section id="decide" title="Decide" note="Work has stopped here">
          <WaitList items={mine} />
        </Section>
      )}
      {others.length > 0 && (
        <Section id="others" title="Waiting for others" note="You may not decide these">
          <WaitList items={others} />
        </Section>
      )}
      {waiting.items.length === 0 && <NothingWaits org={me.orgs[0]?.org} />}
    </>
  );
}

const isMine = ({ actions }: Item): boolean => actions.some(({ allowed }) => allowed);

const toTitle = (count: number): string =>
  count === 0 ? 'Nothing waits for you' : count === 1 ? '1 thing waits for you' : `${count} things wait for you`;

const NothingWaits = ({ org }: { org: string | undefined }) => (
  <Empty title={org === undefined ? 'You have no role in an org yet' : 'All work goes on by itself'}>
    <p>
      {org === undefined
        ? 'Ask an org admin to add you to an access group.'
        : 'Approvals, questions of agents and promotions appear here when they need you.'}
    </p>
    {org !== undefined && (
      <ButtonLink to="/$org/changes" params={{ org }}>
        See the Changes of {org}
      </ButtonLink>
    )}
  </Empty>
);

const WaitList = ({ items }: { items: Item[] }) => (
  <ul className={list['wait']}>
    {items.map((item) => (
      <li key={`${item.path} ${item.step ?? item.zone ?? ''}`}>
        <Mark state="waiting" />
        <div className={list['t']}>
          <Title item={item} />
          <p>
            <b>{toAsk(item)}</b> {toReason(item)}
          </p>
        </div>
        <span className={`${list['who']} dim`}>{toPeople(item)}</span>
        <span className={`${list['age']} num dim`}>
          <Age since={item.since} />
        </span>
        <Open item={item} />
      </li>
    ))}
  </ul>
);

function Title({ item }: { item: Item }) {
  const { kind, org, name, product, title, zone } = item;
  if (kind === 'step')
    return (
      <Link to="/$org/changes/$run" params={{ org, run: name }}>
        {title}
      </Link>
    );
  if (kind === 'promotion')
    return (
      <Link to="/$org/releases/$release" params={{ org, release: name }}>
        Promote {product} {title} to {zone}
      </Link>
    );
  return <b>{title}</b>;
}

function Open({ item }: { item: Item }) {
  const { kind, org, name } = item;
  const common = { small: true, 'aria-label': `${toVerb(item)}: ${item.title}`, children: toVerb(item) };
  if (kind === 'step') return <ButtonLink {...common} to="/$org/changes/$run" params={{ org, run: name }} />;
  if (kind === 'promotion')
    return <ButtonLink {...common} to="/$org/releases/$release" params={{ org, release: name }} />;
  return null;
}

function toAsk({ kind, phase }: Item): string {
  if (kind === 'promotion') return 'Approve a promotion';
  if (kind === 'domain') return 'Set the DNS records of a domain';
  if (phase === 'NeedsGuidance') return 'Guide an agent';
  return phase === 'Waiting' ? 'Approve a Change' : 'Help a merge';
}

const toVerb = ({ phase }: Item): string => (phase === 'NeedsGuidance' ? 'Answer' : 'Review');

function toReason({ product, org, headSha, message }: Item) {
  return (
    <>
      {product === undefined ? `in ${org}` : `of ${product}`}
      {headSha !== undefined && (
        <>
          : <code>{headSha.slice(0, 7)}</code>
        </>
      )}
      . {message}
    </>
  );
}

const toPeople = ({ people, role, org, actions }: Item): string => {
  if (people?.length) return people.map((email) => email.split('@')[0]).join(', ');
  return actions.some(({ allowed }) => allowed) ? `you or another ${role}` : `a ${role} of ${org}`;
};
