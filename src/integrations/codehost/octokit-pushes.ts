import { defined } from '../../defined.ts';
import { listPeople } from '../../rules/intake/list-people.ts';
import type { OrgCodehost } from './codehost.ts';
import { type Client, parseRepo } from './octokit-client.ts';
import { mapErrors, orUndefined } from './octokit-errors.ts';

const pageSize = 100;
/** A history is read by one request per page, so it is bounded. */
const pushesMax = 1_000;
const noCommit = '0'.repeat(40);

export function pushOperations(client: Client): Pick<OrgCodehost, 'listPushes'> {
  return {
    async listPushes(repo, branch) {
      let count = 0;
      const query = { ...parseRepo(repo), ref: `refs/heads/${branch}`, per_page: pageSize };
      const call = client.paginate('GET /repos/{owner}/{repo}/activity', query, ({ data }, done) => {
        count += data.length;
        if (count >= pushesMax) done();
        return data;
      });
      // An older GitHub Enterprise Server has no such list.
      const activities = await mapErrors(`the pushes to ${branch} in ${repo}`, orUndefined(call));
      return (activities ?? []).map(({ before, after, actor }) =>
        defined({ before: before === noCommit ? undefined : before, after, people: listPeople([actor]) }),
      );
    },
  };
}
