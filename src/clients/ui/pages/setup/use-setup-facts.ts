import { useQuery } from '@tanstack/react-query';
import { modelProviderQuery } from '../../api/queries/agents.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { meQuery, setupQuery } from '../../api/queries/me.ts';
import { productsQuery } from '../../api/queries/products.ts';
import { codehostQuery, statusQuery } from '../../api/queries/settings.ts';
import { every } from '../../live/live-state.ts';
import { useLive } from '../../live/live.tsx';
import type { SetupFacts } from './setup-steps.ts';

/** Another page may do a step, such as that of the code host. */
const refetchInterval = every(5_000);

/** Reads what is set up already, again and again once a person has signed in. */
export function useSetupFacts(): SetupFacts & { isReady: boolean } {
  const setup = useQuery(setupQuery);
  const hasRootUser = setup.data?.rootUser === true;
  const me = useQuery({ ...meQuery, enabled: hasRootUser, retry: false });
  const isAdmin = me.data?.platformAdmin === true;
  const installation = useQuery({ ...installationQuery, enabled: isAdmin });
  const status = useQuery({ ...statusQuery, enabled: me.data !== undefined, refetchInterval });
  const org = me.data?.orgs[0]?.org;
  // The stream tells when the server is unavailable, and when the session has ended.
  useLive(...(me.data ? [{ kind: 'waiting' } as const] : []));
  const options = { enabled: org !== undefined, refetchInterval };
  const connection = useQuery({ ...codehostQuery(org ?? ''), ...options });
  const provider = useQuery({ ...modelProviderQuery(org ?? ''), ...options });
  const products = useQuery({ ...productsQuery(org ?? ''), ...options });
  // A step that reads again what has failed does not take the page away.
  const isReady =
    setup.isFetched &&
    (!hasRootUser || me.isFetched) &&
    (!isAdmin || installation.isFetched) &&
    (me.data === undefined || status.isFetched) &&
    (org === undefined || [connection, provider, products].every((query) => query.isFetched));
  return {
    isReady,
    hasRootUser,
    me: me.data,
    installation: installation.data,
    status: status.data,
    org,
    connection: connection.data,
    provider: provider.data,
    products: products.data?.items.map(({ name }) => name),
  };
}
