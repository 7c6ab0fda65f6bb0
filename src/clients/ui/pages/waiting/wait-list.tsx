import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/openapi.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { useShowMore } from '../../parts/use-show-more.tsx';
import { Mark } from '../../parts/state.tsx';
import { Age } from '../../parts/time.tsx';
import list from '../../parts/wait-list.module.css';

type Item = Schemas['WaitingItem'];
const itemsFirst = 50;

/** Lists the decisions that wait for a person, with the pages on which they are made. */
export function WaitList({ items }: { items: Item[] }) {
  const { shown, more } = useShowMore(items, itemsFirst);
  return (
    <>
      <ul className={list['wait']} data-rows>
        {shown.map((item) => (
          <Row key={`${item.path} ${item.step ?? item.zone ?? ''}`} item={item} />
        ))}
      </ul>
      {more}
    </>
  );
}

const Row = ({ item }: { item: Item }) => (
  <li>
    <Mark state={item.kind === 'incident' ? 'failed' : 'waiting'} />
    <div className={list['t']}>
      <Link to={item.path}>{toTitle(item)}</Link>
      <p>
        <b>{toAsk(item)}</b> {toReason(item)}
      </p>
    </div>
    <span className={`${list['who']} dim`}>{toPeople(item)}</span>
    <span className={`${list['age']} num dim`}>
      <Age since={item.since} />
    </span>
    <ButtonLink small to={item.path as '/'} aria-label={`${toVerb(item)}: ${item.title}`}>
      {toVerb(item)}
    </ButtonLink>
  </li>
);

const toTitle = ({ kind, product, title, zone }: Item): string =>
  kind === 'promotion' ? `Promote ${product} ${title} to ${zone}` : title;

function toAsk({ kind, phase }: Item): string {
  if (kind === 'promotion') return 'Approve a promotion';
  if (kind === 'incident') return 'Acknowledge an incident';
  if (kind === 'domain') return 'Set the DNS records of a domain';
  if (phase === 'NeedsGuidance') return 'Guide an agent';
  return phase === 'Waiting' ? 'Approve a Change' : 'Help a merge';
}

function toVerb({ kind, phase }: Item): string {
  if (kind === 'incident') return 'Look';
  if (kind === 'domain') return 'See the records';
  return phase === 'NeedsGuidance' ? 'Answer' : 'Review';
}

function toReason({ product, org, headSha, message }: Item) {
  return (
    <>
      {product === undefined ? `of ${org}` : `of ${product}`}
      {headSha === undefined ? '' : ': '}
      {headSha !== undefined && <code>{headSha.slice(0, 7)}</code>}. {toSentence(message)}
    </>
  );
}

/** The API writes what is asked in the middle of a sentence. */
const toSentence = (message = ''): string =>
  message === '' ? '' : `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? '' : '.'}`;

const toPeople = ({ people, role, org, actions }: Item): string => {
  if (people?.length) return people.map((email) => email.split('@')[0]).join(', ');
  return actions.some(({ allowed }) => allowed) ? `you or another ${role}` : `a ${role} of ${org}`;
};
