import { z } from '@hono/zod-openapi';
import type { Issue } from '../../src/integrations/codehost/codehost.ts';
import { defined } from '../../src/defined.ts';
import { actionsFor, type ActionRule } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { missingRepoViolation } from '../../src/rules/products/missing-repo-violation.ts';
import { ProductKind, ProductLogo, ProductSpec, type Product } from '../../src/rules/products/kinds.ts';
import { scaffoldRetryViolation } from '../../src/rules/products/scaffold-retry-violation.ts';
import { findBoardColumn, boardColumns } from '../../src/rules/products/board.ts';
import { removeRequestMarker } from '../../src/rules/products/request-marker.ts';
import { ProductSource } from '../../src/rules/products/source.ts';
import { templateLanguages, TemplateName } from '../../src/rules/products/templates.ts';
import { logoDirections } from '../../src/rules/products/logo.ts';
import { runPhases, Usage, WaitingFor, type AgentWorkflowRun, type StepPhase } from '../../src/rules/changes/kinds.ts';
import { isTerminalRunPhase } from '../../src/rules/changes/run-status.ts';
import { ProductName, RepoName, Timestamp } from '../../src/rules/names.ts';
import { toOrgName } from '../../src/rules/resource.ts';
import { ActionView, toView, viewSchema } from '../http/views.ts';

export const ProductView = viewSchema(ProductKind).openapi('Product');

const repoActions: ActionRule[] = [
  { name: 'startRun', requiredRole: 'member' },
  { name: 'startRelease', requiredRole: 'member' },
  { name: 'createIssue', requiredRole: 'member' },
  { name: 'putLogo', requiredRole: 'org-admin' },
];
const productActions: ActionRule[] = [
  { name: 'addZone', requiredRole: 'org-admin' },
  { name: 'replaceProduct', requiredRole: 'org-admin' },
  { name: 'suggestLogos', requiredRole: 'org-admin' },
  { name: 'deleteProduct', requiredRole: 'org-admin' },
];

export function toProductView(product: Product, role: OrgRole | undefined) {
  const { metadata } = product;
  const blockedBy = isProductDeleting(product) ? 'The Product is being deleted.' : undefined;
  const actions = actionsFor(role, [
    ...repoActions.map((rule) => ({ ...rule, blockedBy: blockedBy ?? missingRepoViolation(product) })),
    ...productActions.map((rule) => ({ ...rule, blockedBy })),
    ...(product.spec.source ? [toRetryRule(product, blockedBy)] : []),
  ]);
  return toView(product, toOrgName(metadata.namespace), actions);
}

const toRetryRule = (product: Product, blockedBy: string | undefined): ActionRule => ({
  name: 'retryScaffold',
  requiredRole: 'org-admin',
  blockedBy: blockedBy ?? scaffoldRetryViolation(product),
});

/** A new Product gets the default pair of zones when `delivery` is omitted. */
export const NewProductBody = z.strictObject({
  name: ProductName.describe('Name of the Product, unique in the org.'),
  spec: ProductSpec.extend({
    delivery: ProductSpec.shape.delivery
      .optional()
      .describe('How Releases are delivered; defaults to the zones `<product>-rc` and `<product>-prod`.'),
    repos: ProductSpec.shape.repos
      .optional()
      .describe('Repos with the Product’s code, as `<owner>/<repo>`; defaults to the repo of `source`.'),
    source: ProductSource.extend({
      repo: RepoName.optional().describe('Repo that is created; defaults to `<account of the org>/<product>`.'),
    })
      .optional()
      .describe('Template or archive from which the service creates a repo and the first Release.'),
  }).describe('Definition of the Product.'),
});

export const TemplateView = z
  .object({
    name: TemplateName.describe('Name of the template.'),
    title: z.string().describe('Display name of the template.'),
    description: z.string().describe('Content of the template.'),
    language: z.enum(templateLanguages).describe('Language that the tests, the build or the app need.'),
    available: z.boolean().describe('Whether this installation can build and run the template.'),
    unavailableReason: z.string().optional().describe('Reason why it cannot, with the fix.'),
  })
  .openapi('Template');

export const ArchiveView = z
  .object({
    sha256: z.string().describe('SHA-256 of the archive, which names it in `source.archive`.'),
    files: z.int().describe('Number of files in the archive.'),
    bytes: z.int().describe('Size of the unpacked files.'),
  })
  .openapi('Archive');

export const LogoView = z.object(ProductLogo.shape).openapi('Logo');
export const PendingLogoView = LogoView.pick({ repo: true, path: true, type: true }).openapi('PendingLogo');
export const LogoSuggestionView = z
  .object({
    direction: z.enum(logoDirections.map(({ name }) => name)).describe('Direction of the design.'),
    source: z.enum(['model', 'built-in']).describe('Whether the model or a built-in design made the image.'),
    svg: z.string().describe('The image as SVG text.'),
    model: z.string().optional().describe('Model that made the image.'),
    usage: Usage.optional().describe('Tokens and cost of the suggestion.'),
  })
  .openapi('LogoSuggestion');

export const VersionView = z
  .object({
    version: z.string().describe('Semantic version.'),
    release: z.string().describe('Name of the Release.'),
    commit: z.string().describe('Commit that was built.'),
    taggedAt: Timestamp.describe('Time at which the commit was tagged.'),
    digest: z.string().optional().describe('Digest of the image.'),
    url: z.string().optional().describe('URL of the release at the code host.'),
    run: z.string().optional().describe('Run whose merge started the Release.'),
    zones: z.array(z.string()).openapi({ description: 'Zones that run the version.' }),
  })
  .openapi('Version');

export const IssueView = z
  .object({
    repo: z.string().describe('Repo of the issue.'),
    number: z.int().describe('Number of the issue.'),
    title: z.string().describe('Title of the issue.'),
    body: z.string().describe('Text of the issue in Markdown.'),
    url: z.string().describe('URL of the issue at the code host.'),
    state: z.enum(['open', 'closed']).describe('State of the issue.'),
    labels: z.array(z.string()).describe('Labels of the issue.'),
    author: z.string().describe('Account of the author at the code host.'),
    createdAt: Timestamp.describe('Time at which the issue was created.'),
    updatedAt: Timestamp.describe('Time at which the issue last changed.'),
    column: z
      .enum(boardColumns)
      .optional()
      .openapi({ description: 'Board column; absent if the issue is not on the board.' }),
    change: z
      .object({
        run: z.string().describe('Run of the Change.'),
        agentWorkflow: z.string().describe('AgentWorkflow of the run.'),
        phase: z.enum(runPhases).describe('Phase of the run.'),
        step: z.string().optional().describe('Step that runs, waits or failed.'),
        waitingFor: WaitingFor.optional().describe('What the Change waits for; absent if it does not wait.'),
        failure: z.string().optional().describe('Why the Change failed.'),
      })
      .optional()
      .openapi({ description: 'The latest Change of the issue.' }),
    actions: z.array(ActionView).describe('Operations on the issue, with whether the caller can perform them now.'),
  })
  .openapi('Issue');

type IssueViewOptions = { repo: string; change?: AgentWorkflowRun | undefined; role: OrgRole | undefined };

export function toIssueView(issue: Issue, { repo, change, role }: IssueViewOptions): z.infer<typeof IssueView> {
  const { number, title, body, url, state, labels, author, createdAt, updatedAt } = issue;
  const phase = change?.status?.phase ?? 'Pending';
  const runInProgress =
    change && !isTerminalRunPhase(phase)
      ? `The run "${change.metadata.name}" is in progress for the issue.`
      : undefined;
  const column = findBoardColumn(issue, change);
  return {
    repo,
    number,
    title,
    body: removeRequestMarker(body),
    url,
    state,
    labels,
    author,
    createdAt,
    updatedAt,
    ...(column && { column }),
    ...(change && { change: toIssueChange(change) }),
    actions: actionsFor(role, [
      {
        name: 'startRun',
        requiredRole: 'member',
        blockedBy: state === 'closed' ? 'The issue is closed.' : runInProgress,
      },
      { name: 'labelIssue', requiredRole: 'member' },
      { name: 'cancelRun', requiredRole: 'member', blockedBy: runInProgress ? undefined : 'No Change is in progress.' },
    ]),
  };
}

function toIssueChange({ metadata, spec, status }: AgentWorkflowRun) {
  const phase = status?.phase ?? 'Pending';
  const step = status?.steps.find((one) => (isTerminalRunPhase(phase) ? one.failure : isActiveStep(one.phase)));
  return defined({
    run: metadata.name,
    agentWorkflow: spec.agentWorkflow,
    phase,
    step: step?.name,
    waitingFor: step?.waitingFor,
    failure: status?.failure?.message ?? step?.failure?.message,
  });
}

const isActiveStep = (phase: StepPhase): boolean => ['Running', 'Waiting', 'NeedsGuidance'].includes(phase);
