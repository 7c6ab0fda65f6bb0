import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { meQuery, waitingQuery, waitsForViewer } from '../../api/queries/me.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, PageHead, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { OwnChanges } from './own-changes.tsx';
import { WaitList } from './wait-list.tsx';
import styles from './waiting-page.module.css';

const route = getRouteApi('/signed-in/');
const exactly = { exact: true, includeSearch: true };

/** The start page: every decision that a person must make, the longest wait first. */
export function WaitingPage() {
  const { data: waiting } = useSuspenseQuery(waitingQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const { whose } = route.useSearch();
  const mine = waiting.items.filter(waitsForViewer);
  const others = waiting.items.filter((item) => !waitsForViewer(item));
  const oldest = mine[0]?.since;
  const org = me.orgs[0]?.org;
  const orMore = waiting.continue === undefined ? '' : ' or more';
  return (
    <>
      <PageHead
        title={toTitle(mine.length, orMore)}
        actions={
          <div className={styles['seg']} role="group" aria-label="Whose">
            <Link to="/" search={{}} activeOptions={exactly} data-on={whose === undefined || undefined}>
              Mine
            </Link>
            <Link to="/" search={{ whose: 'all' }} activeOptions={exactly} data-on={whose === 'all' || undefined}>
              Everyone’s, {waiting.items.length}
              {orMore}
            </Link>
          </div>
        }
      >
        {oldest && (
          <>
            The oldest since <Time at={oldest} />.{' '}
            <span className="hide-n">
              <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens.
            </span>
          </>
        )}
      </PageHead>
      {mine.length > 0 ? (
        <Section id="decide" title="Decide" note="Work has stopped here">
          <WaitList items={mine} />
        </Section>
      ) : (
        <NothingWaits org={org} />
      )}
      {whose === 'all' && (
        <Section id="others" title="Waiting for others" note="You may not approve these">
          {others.length > 0 ? <WaitList items={others} /> : <p className="dim">Nothing waits for others.</p>}
        </Section>
      )}
      {org !== undefined && <OwnChanges orgs={me.orgs.map((one) => one.org)} email={me.email} />}
    </>
  );
}

/** Only the longest waits are read, so there may be more. */
function toTitle(count: number, orMore: string): string {
  if (count === 0) return 'Nothing waits for you';
  return count === 1 && orMore === '' ? '1 thing waits for you' : `${count}${orMore} things wait for you`;
}

const NothingWaits = ({ org }: { org: string | undefined }) => (
  <Empty title={org === undefined ? 'You have no role in an org yet' : 'Work continues without you'}>
    <p>
      {org === undefined
        ? 'Ask an org admin to add you to an access group.'
        : 'Approvals, agents’ questions and promotions appear here when they need you.'}
    </p>
    {org !== undefined && (
      <ButtonLink to="/$org/changes" params={{ org }}>
        See the Changes of {org}
      </ButtonLink>
    )}
  </Empty>
);
