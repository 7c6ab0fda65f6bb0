import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/openapi.ts';
import { orgQuery } from '../../api/queries/products.ts';
import { Figure, Figures } from '../../parts/figures.tsx';
import { formatDuration } from '../../parts/time.tsx';

const namedMax = 3;

/** The four sums that a person looks for first. */
export function ActivityFigures({ org, activity }: { org: string; activity: Schemas['Activity'] }) {
  const { agents, people, reachedProduction } = activity;
  const { data: organization } = useQuery(orgQuery(org));
  const limit = organization?.spec.agents?.costUsdPerDay;
  const { longest } = people;
  return (
    <Figures>
      <Figure term="Agents worked" value={formatDuration(agents.seconds * 1_000)}>
        {agents.concurrentMax} at once at most
      </Figure>
      <Figure term="They cost" value={`$${(agents.costMicroUsd / 1_000_000).toFixed(2)}`}>
        {limit === undefined ? 'No limit per day' : `of $${limit} a day`}
      </Figure>
      <Figure term="People were waited for" value={formatDuration(people.seconds * 1_000)}>
        {longest && (
          <>
            longest:{' '}
            {longest.kind === 'run' ? (
              <Link to="/$org/changes/$run" params={{ org, run: longest.name }}>
                {longest.product} {longest.label}
              </Link>
            ) : (
              <Link to="/$org/releases/$release" params={{ org, release: longest.name }}>
                {longest.product} {longest.label}
              </Link>
            )}
            , {formatDuration(longest.seconds * 1_000)}
          </>
        )}
      </Figure>
      <Figure
        term="Reached production"
        value={
          <>
            {reachedProduction.length} <small>{reachedProduction.length === 1 ? 'Release' : 'Releases'}</small>
          </>
        }
      >
        {reachedProduction
          .slice(0, namedMax)
          .map(({ product, version }) => `${product} ${version}`)
          .join(', ')}
        {reachedProduction.length > namedMax && ` and ${reachedProduction.length - namedMax} more`}
      </Figure>
    </Figures>
  );
}
