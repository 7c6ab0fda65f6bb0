import { z } from 'zod';
import { notFound, unprocessable, HttpError } from '../http-error.ts';
import type { Host } from '../host.ts';
import { toLabelJson, listIssueLabels } from '../issues.ts';
import { addLabels, findLabel, removeLabels, replaceLabels } from '../labels.ts';
import type { Issue, Label, Repository } from '../tables.ts';
import { issueAccess, LabelNames, getAccessibleIssue } from './issue-routes.ts';
import { paginate, getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const LabelBody = z.object({
  name: z.string().min(1),
  color: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/)
    .default('ededed'),
  description: z.string().nullish(),
});
const LabelsBody = z.object({ labels: LabelNames });

const issueLabelsPath = '/v3/repos/:owner/:repo/issues/:issue_number/labels';

export function labelRoutes(rest: RestApi, host: Host): void {
  const shapes = (repository: Repository, labels: Label[]) =>
    labels.map((label) => toLabelJson(host, repository, label));
  const change = async (
    c: RestContext,
    work: (at: { repository: Repository; issue: Issue }) => void,
  ): Promise<Response> => {
    const at = getAccessibleIssue(host, c, 'write');
    host.database.transaction(() => work(at));
    return c.json(shapes(at.repository, listIssueLabels(host, at.issue.id)));
  };

  rest.get(issueLabelsPath, (c) => {
    const { repository, issue } = getAccessibleIssue(host, c, 'read');
    return c.json(shapes(repository, paginate(host, c, listIssueLabels(host, issue.id))));
  });
  rest.post(issueLabelsPath, async (c) => {
    const { labels } = await readBody(c, LabelsBody, 'Label');
    return change(c, ({ repository, issue }) =>
      addLabels(host, repository, { issueId: issue.id, names: labels, sender: getSender(c) }),
    );
  });
  rest.put(issueLabelsPath, async (c) => {
    const { labels } = await readBody(c, LabelsBody, 'Label');
    return change(c, ({ repository, issue }) =>
      replaceLabels(host, repository, { issueId: issue.id, names: labels, sender: getSender(c) }),
    );
  });
  rest.delete(`${issueLabelsPath}/:name`, (c) =>
    change(c, ({ repository, issue }) => {
      const name = getPathParam(c, 'name');
      const has = listIssueLabels(host, issue.id).some((label) => label.name.toLowerCase() === name.toLowerCase());
      if (!has) throw new HttpError(404, 'Label does not exist');
      removeLabels(host, repository, { issueId: issue.id, names: [name], sender: getSender(c) });
    }),
  );

  rest.get('/v3/repos/:owner/:repo/labels', (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('read'));
    return c.json(
      shapes(
        repository,
        paginate(
          host,
          c,
          host.database.all<Label>('SELECT * FROM labels WHERE repositoryId = ? ORDER BY id', repository.id),
        ),
      ),
    );
  });
  rest.get('/v3/repos/:owner/:repo/labels/:name', (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('read'));
    const label = findLabel(host, repository.id, getPathParam(c, 'name'));
    if (label === undefined) throw notFound();
    return c.json(toLabelJson(host, repository, label));
  });
  rest.post('/v3/repos/:owner/:repo/labels', async (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('write'));
    const { name, color, description = null } = await readBody(c, LabelBody, 'Label');
    if (findLabel(host, repository.id, name) !== undefined)
      throw unprocessable({ resource: 'Label', code: 'already_exists', field: 'name' });
    const id = host.database.insert('labels', { repositoryId: repository.id, name, color, description });
    return c.json(toLabelJson(host, repository, { id, repositoryId: repository.id, name, color, description }), 201);
  });
}
