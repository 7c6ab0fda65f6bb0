import type { Dispatcher } from 'undici';
import { type CloudRefusal, serviceCodes } from '../../rules/cloud-accounts/cloud-refusal.ts';
import { fetchWithTimeout } from '../network/fetch-with-timeout.ts';
import { createEksToken, getEksCluster } from './aws-clusters.ts';
import { checkAws } from './aws.ts';
import { createSender, RefusedByCloud } from './cloud-request.ts';
import type { CloudEndpoints, Clouds } from './clouds.ts';
import { createGkeToken, getGkeCluster } from './google-clusters.ts';
import { checkGoogle } from './google.ts';

/** A person waits for the check. */
const timeoutMs = 15_000;
const bytesMax = 256 * 1024;
const messageMax = 500;

type CloudsOptions = { endpoints: CloudEndpoints; judged: Dispatcher; now: () => Date };

/** Signs in to AWS and Google Cloud by their token services, through connections that are judged. */
export function createClouds({ endpoints, judged, now }: CloudsOptions): Clouds {
  const send = createSender(fetchWithTimeout({ timeoutMs, bytesMax, dispatcher: judged }), timeoutMs);
  const aws = { send, sts: endpoints.awsSts, eks: endpoints.awsEks };
  const google = { send, endpoints };
  return {
    check: async (account, signIn) =>
      await catchRefusal(signIn.token, async () => {
        const identity =
          account.provider === 'aws'
            ? await checkAws(account, signIn, aws)
            : await checkGoogle(account, signIn, google);
        return { identity: toSafeText(identity, signIn.token) };
      }),
    findCluster: async (account, signIn, cluster) =>
      await catchRefusal(signIn.token, async () =>
        account.provider === 'aws'
          ? await getEksCluster(account, signIn, { ...aws, cluster })
          : await getGkeCluster(account, signIn, { ...google, cluster }),
      ),
    createClusterToken: async (account, signIn, cluster) =>
      await catchRefusal(signIn.token, async () =>
        account.provider === 'aws'
          ? await createEksToken(account, signIn, { ...aws, cluster, now })
          : await createGkeToken(account, signIn, google),
      ),
  };
}

async function catchRefusal<T>(token: string, run: () => Promise<T>): Promise<T | CloudRefusal> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RefusedByCloud) return toSafeRefusal(error.refusal, token);
    throw error;
  }
}

/** The words of a server are shown to people, so they are short and never contain the token. */
const toSafeRefusal = ({ code, message }: CloudRefusal, token: string): CloudRefusal => ({
  code: /^[\w.-]{1,80}$/.test(code) ? code : serviceCodes.unreadable,
  message: toSafeText(message, token),
});

function toSafeText(text: string, token: string): string {
  const parts = token.split('.').filter((part) => part !== '');
  const redacted = parts.reduce((shown, part) => shown.replaceAll(part, '…'), text);
  return redacted.replaceAll(/\p{Cc}+/gu, ' ').slice(0, messageMax);
}
