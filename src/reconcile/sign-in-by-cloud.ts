import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../errors.ts';
import type { CloudCluster, CloudClusterToken, Clouds, CloudSignIn } from '../integrations/clouds/clouds.ts';
import { toRefusalFix, type CloudRefusal } from '../rules/cloud-accounts/cloud-refusal.ts';
import { type CloudIdentity, toAudience } from '../rules/cloud-accounts/identity-token.ts';
import { CloudAccountKind, CloudAccountSpec } from '../rules/cloud-accounts/kinds.ts';
import { cloudClusterNameViolation } from '../rules/clusters/cloud-cluster-name.ts';
import type { ClusterAccess } from '../rules/clusters/cluster-access.ts';
import type { ClusterCloud } from '../rules/clusters/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';
import { parseSpec } from './parse-spec.ts';

type Deps = { store: Store; clouds: Clouds; cloudIdentity: CloudIdentity };

/** Looks up a cluster at its cloud and signs in to it. The error of a refusal names the setting and the fix. */
export async function signInByCloud(deps: Deps, cloud: ClusterCloud): Promise<ClusterAccess> {
  const account = await openAccount(deps, cloud);
  const found = await account.call((spec, signIn) => deps.clouds.findCluster(spec, signIn, cloud.cluster));
  return { ...found, ...(await account.createToken()), cloud };
}

/**
 * Makes a new token for a cluster whose address is known, so that a change of the account leads to no other server. The
 * cluster is looked up if the credentials are those of another one, whose server must not get the token.
 */
export async function renewCloudAccess(
  deps: Deps,
  cloud: ClusterCloud,
  previous: ClusterAccess | undefined,
): Promise<ClusterAccess> {
  if (!isOfCloud(previous, cloud)) return await signInByCloud(deps, cloud);
  return { ...previous, ...(await (await openAccount(deps, cloud)).createToken()) };
}

/** Whether the credentials belong to this cloud cluster, and not to a kubeconfig or an earlier cluster. */
export const isOfCloud = (access: ClusterAccess | undefined, cloud: ClusterCloud): access is ClusterAccess =>
  isDeepStrictEqual(access?.cloud, cloud);

type Call = <T extends CloudCluster | CloudClusterToken>(
  run: (spec: CloudAccountSpec, signIn: CloudSignIn) => Promise<T | CloudRefusal>,
) => Promise<T>;

async function openAccount(
  { store, clouds, cloudIdentity }: Deps,
  { org, account: name, cluster }: ClusterCloud,
): Promise<{ call: Call; createToken(): Promise<CloudClusterToken> }> {
  const account = await store.find(CloudAccountKind, { namespace: orgNamespace(org), name });
  if (!account)
    throw cloudError(`The org "${org}" has no cloud account "${name}".`, '/cloud/account', 'does not exist');
  const spec = parseSpec(CloudAccountKind, CloudAccountSpec, account);
  const violation = cloudClusterNameViolation(spec.provider, cluster);
  if (violation !== undefined)
    throw cloudError(`The name "${cluster}" of the cluster ${violation}.`, '/cloud/cluster', violation);
  const { issuer } = cloudIdentity;
  const call: Call = async (run) => {
    const token = await cloudIdentity.signToken({ org, audience: toAudience(spec) });
    const outcome = await run(spec, { token, session: `delivery-clusters-${org}` });
    if (!('code' in outcome)) return outcome;
    const fix = toRefusalFix(outcome, { spec, issuer, org, cluster });
    throw cloudError(
      `The cloud refuses the cluster "${cluster}" (${outcome.code}): ${outcome.message} ${fix}`,
      '/cloud',
      fix,
    );
  };
  return {
    call,
    createToken: async () => await call((_, signIn) => clouds.createClusterToken(spec, signIn, cluster)),
  };
}

const cloudError = (message: string, pointer: string, detail: string): ServiceError =>
  new ServiceError('cluster-setting-invalid', message, { errors: [{ pointer, detail }] });
