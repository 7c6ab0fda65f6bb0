import { z } from 'zod';
import { notFound, unprocessable, Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import { labelShape, labelsOf } from '../issues.ts';
import { addLabels, findLabel, removeLabels, replaceLabels } from '../labels.ts';
import type { Issue, Label, Repository } from '../rows.ts';
import { issueAccess, LabelNames, reachIssue } from './issue-routes.ts';
import { paginate, part, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

const LabelBody = z.object({
  name: z.string().min(1),
  color: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/)
    .default('ededed'),
  description: z.string().nullish(),
});
const LabelsBody = z.object({ labels: LabelNames });

const ofIssue = '/v3/repos/:owner/:repo/issues/:issue_number/labels';

export function labelRoutes(rest: Rest, host: Host): void {
  const shapes = (repository: Repository, labels: Label[]) =>
    labels.map((label) => labelShape(host, repository, label));
  const change = async (
    c: RestContext,
    work: (at: { repository: Repository; issue: Issue }) => void,
  ): Promise<Response> => {
    const at = reachIssue(host, c, 'write');
    host.database.transaction(() => work(at));
    return c.json(shapes(at.repository, labelsOf(host, at.issue.id)));
  };

  rest.get(ofIssue, (c) => {
    const { repository, issue } = reachIssue(host, c, 'read');
    return c.json(shapes(repository, paginate(host, c, labelsOf(host, issue.id))));
  });
  rest.post(ofIssue, async (c) => {
    const { labels } = await readBody(c, LabelsBody, 'Label');
    return change(c, ({ repository, issue }) =>
      addLabels(host, repository, { issueId: issue.id, names: labels, sender: sender(c) }),
    );
  });
  rest.put(ofIssue, async (c) => {
    const { labels } = await readBody(c, LabelsBody, 'Label');
    return change(c, ({ repository, issue }) =>
      replaceLabels(host, repository, { issueId: issue.id, names: labels, sender: sender(c) }),
    );
  });
  rest.delete(`${ofIssue}/:name`, (c) =>
    change(c, ({ repository, issue }) => {
      const name = part(c, 'name');
      const has = labelsOf(host, issue.id).some((label) => label.name.toLowerCase() === name.toLowerCase());
      if (!has) throw new Failure(404, 'Label does not exist');
      removeLabels(host, repository, { issueId: issue.id, names: [name], sender: sender(c) });
    }),
  );

  rest.get('/v3/repos/:owner/:repo/labels', (c) => {
    const repository = reach(host, c, issueAccess('read'));
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
    const repository = reach(host, c, issueAccess('read'));
    const label = findLabel(host, repository.id, part(c, 'name'));
    if (label === undefined) throw notFound();
    return c.json(labelShape(host, repository, label));
  });
  rest.post('/v3/repos/:owner/:repo/labels', async (c) => {
    const repository = reach(host, c, issueAccess('write'));
    const { name, color, description = null } = await readBody(c, LabelBody, 'Label');
    if (findLabel(host, repository.id, name) !== undefined)
      throw unprocessable({ resource: 'Label', code: 'already_exists', field: 'name' });
    const id = host.database.insert('labels', { repositoryId: repository.id, name, color, description });
    return c.json(labelShape(host, repository, { id, repositoryId: repository.id, name, color, description }), 201);
  });
}
