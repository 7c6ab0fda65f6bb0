import type { Dispatcher } from 'undici';
import { type CloudRefusal, serviceCodes } from '../../rules/cloud-accounts/cloud-refusal.ts';
import { fetchWithTimeout } from '../network/fetch-with-timeout.ts';
import { checkAws } from './aws.ts';
import { createSender, RefusedByCloud } from './cloud-request.ts';
import type { CloudEndpoints, Clouds } from './clouds.ts';
import { checkGoogle } from './google.ts';

/** A person waits for the check. */
const timeoutMs = 15_000;
const bytesMax = 256 * 1024;
const messageMax = 500;

/** Signs in to AWS and Google Cloud by their token services, through connections that are judged. */
export function createClouds({ endpoints, judged }: { endpoints: CloudEndpoints; judged: Dispatcher }): Clouds {
  const send = createSender(fetchWithTimeout({ timeoutMs, bytesMax, dispatcher: judged }), timeoutMs);
  return {
    async check(account, signIn) {
      try {
        const identity =
          account.provider === 'aws'
            ? await checkAws(account, signIn, { send, endpoint: endpoints.awsSts })
            : await checkGoogle(account, signIn, { send, endpoints });
        return { identity: toSafeText(identity, signIn.token) };
      } catch (error) {
        if (error instanceof RefusedByCloud) return toSafeRefusal(error.refusal, signIn.token);
        throw error;
      }
    },
  };
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
