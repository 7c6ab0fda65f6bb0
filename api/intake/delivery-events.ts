import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';

const truncatedText = z.string().transform((value) => value.slice(0, 300));
/** Code hosts allow fewer labels per issue; the bound keeps the workflow input small. */
const labelsMax = 100;

const Label = z.object({ name: truncatedText.describe('Name of the label.') });
const Labels = z
  .array(Label)
  .nullish()
  .transform((labels) => (labels ?? []).slice(0, labelsMax).map(({ name }) => name))
  .describe('Labels of the issue or pull request.');
const Account = z
  .object({
    type: z.string().optional().describe('`Bot`, or the type of another account.'),
    login: z.string().optional().describe('Name of the account.'),
  })
  .nullish();
export type DeliveryAccount = z.infer<typeof Account>;
const Association = z.string().nullish().describe('Relation of the author to the repo, such as `MEMBER`.');
const Repository = z.object({ full_name: z.string().max(140).describe('Repo as `<owner>/<repo>`.') });
const OptionalTimestamp = z.iso.datetime({ offset: true }).optional().catch(undefined);
const number = z.int().min(1).describe('Number of the issue or pull request.');
const common = {
  repository: Repository.describe('Repo of the event.'),
  sender: Account.describe('Account that caused the event.'),
};

export const IssueEvent = z.object({
  action: z.enum(['opened', 'labeled']).describe('What happened.'),
  issue: z
    .object({
      number,
      labels: Labels,
      user: Account.describe('Author of the issue.'),
      author_association: Association,
      pull_request: z.unknown().optional().describe('Present if the issue is that of a pull request.'),
      created_at: OptionalTimestamp.describe('Time at which the issue was opened.'),
      updated_at: OptionalTimestamp.describe('Time of the event.'),
    })
    .describe('The issue.'),
  label: Label.nullish().describe('The label that was added.'),
  ...common,
});

export const PullRequestEvent = z.object({
  action: z.enum(['opened', 'reopened', 'synchronize']).describe('What happened.'),
  pull_request: z
    .object({
      number,
      labels: Labels,
      base: z.object({ ref: truncatedText.describe('Branch to merge into.') }).describe('Target of the pull request.'),
      head: z
        .object({
          ref: truncatedText.describe('Branch to merge.'),
          repo: Repository.nullish().describe('Repo of the branch; null after its deletion.'),
        })
        .describe('Source of the pull request.'),
      user: Account.describe('Author of the pull request.'),
      author_association: Association,
      updated_at: OptionalTimestamp.describe('Time of the event.'),
    })
    .describe('The pull request.'),
  ...common,
});

/** People can merge or close the pull request of a run at the code host. */
export const ClosedPullRequestEvent = z.object({
  action: z.literal('closed').describe('What happened.'),
  pull_request: z.object({ html_url: z.string().describe('URL of the pull request.') }).describe('The pull request.'),
  ...common,
});

const OtherEvent = z.looseObject({}).describe('Any other event, which is ignored.');

const { $schema: _, ...bodySchema } = z.toJSONSchema(
  z.union([IssueEvent, PullRequestEvent, ClosedPullRequestEvent, OtherEvent]),
  {
    io: 'input',
  },
);

const example = {
  action: 'labeled',
  issue: { number: 1, labels: [{ name: 'service' }], user: { login: 'ada', type: 'User' } },
  label: { name: 'service' },
  repository: { full_name: 'acme/hello' },
  sender: { login: 'ada', type: 'User' },
};

/** Documents the body, which the route validates only after the signature. */
export const deliveryRequestBody: NonNullable<RouteConfig['requestBody']> = {
  required: true,
  description: 'The fields of the event that are read; code hosts send more.',
  content: {
    'application/json': { schema: bodySchema as object, example },
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'object',
        properties: { payload: { type: 'string', description: 'The event as JSON.' } },
        required: ['payload'],
      },
      example: { payload: JSON.stringify(example) },
    },
  },
};

export const deliveryParameters: NonNullable<RouteConfig['parameters']> = [
  {
    name: 'X-Hub-Signature-256',
    in: 'header',
    description: '`sha256=` and the HMAC-SHA256 of the body with the webhook secret of the org, in hexadecimal digits.',
    schema: { type: 'string' },
    example: `sha256=${'0'.repeat(64)}`,
  },
];
