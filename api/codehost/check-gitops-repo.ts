import { isServiceError } from '../../src/errors.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import type { CodehostFinding } from './schemas.ts';

/** Asks the code host whether the app of an org may write to the gitops repo, or create it; changes nothing. */
export async function checkGitopsRepo(codehost: Codehost, org: string, repo: string): Promise<CodehostFinding> {
  const subject = 'gitops-repo';
  try {
    const host = await codehost.forOrg(org);
    if (await host.findRepository(repo)) {
      // The code host issues a token that may push only to an app with this permission.
      await host.getGitRemote(repo);
      return { subject, name: repo, result: 'ok', message: `The app may write to ${repo}.` };
    }
    await host.assertMayCreateRepository(repo);
    const message = `${repo} does not exist yet, or the app cannot see it. The service creates it with the first promotion.`;
    return { subject, name: repo, result: 'ok', message };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const fix = `Grant the app access to ${repo}, and accept its permissions at the code host.`;
    return { subject, name: repo, result: 'warning', message: error.message, fix };
  }
}
