import { z } from '@hono/zod-openapi';
import type { Issue } from '../../src/integrations/codehost/codehost.ts';
import { actionsFor, type Possibility } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import {
  OrganizationKind,
  ProductKind,
  ProductLogo,
  ProductSpec,
  type Organization,
  type Product,
} from '../../src/rules/catalog/kinds.ts';
import { boardColumn, boardColumns } from '../../src/rules/catalog/board.ts';
import { logoDirections } from '../../src/rules/catalog/logo.ts';
import { runPhases, Usage, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { runEnded } from '../../src/rules/changes/run-status.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { ActionView, viewOf, viewSchema } from '../views.ts';

export const OrganizationView = viewSchema(OrganizationKind).openapi('Organization');
export const ProductView = viewSchema(ProductKind).openapi('Product');

const productActions: Possibility[] = [
  { name: 'startRun', needs: 'member' },
  { name: 'startRelease', needs: 'member' },
  { name: 'createIssue', needs: 'member' },
  { name: 'addZone', needs: 'org-admin' },
  { name: 'replaceProduct', needs: 'org-admin' },
  { name: 'putLogo', needs: 'org-admin' },
  { name: 'suggestLogos', needs: 'org-admin' },
  { name: 'deleteProduct', needs: 'org-admin' },
];

export const organizationView = (org: Organization, role: OrgRole | undefined) =>
  viewOf(
    org,
    org.metadata.name,
    actionsFor(role, [
      { name: 'createProduct', needs: 'org-admin' },
      { name: 'connectCodehost', needs: 'org-admin' },
      { name: 'putAgentLimits', needs: 'org-admin' },
      { name: 'putApprovals', needs: 'org-admin' },
      { name: 'putScheduling', needs: 'org-admin' },
    ]),
  );

export function productView(product: Product, role: OrgRole | undefined) {
  const { metadata, status } = product;
  const going = status?.deletion !== undefined || metadata.deletionTimestamp !== undefined;
  const hindrance = going ? 'The Product is being deleted.' : undefined;
  const actions = actionsFor(
    role,
    productActions.map((possibility) => ({ ...possibility, hindrance })),
  );
  return viewOf(product, metadata.namespace.slice(orgNamespace('').length), actions);
}

/** What a Product looks like to its creator: without `delivery` it gets the usual pair of zones. */
export const NewProductBody = z.strictObject({
  name: NameLabel,
  spec: ProductSpec.extend({ delivery: ProductSpec.shape.delivery.optional() }),
});

export const LogoView = z.object(ProductLogo.shape).openapi('Logo');
export const PendingLogoView = LogoView.pick({ repo: true, path: true, type: true }).openapi('PendingLogo');
export const LogoSuggestionView = z
  .object({
    direction: z.enum(logoDirections.map(({ name }) => name)),
    source: z.enum(['model', 'built-in']),
    svg: z.string(),
    model: z.string().optional(),
    usage: Usage.optional(),
  })
  .openapi('LogoSuggestion');

export const VersionView = z
  .object({
    version: z.string(),
    release: z.string(),
    commit: z.string(),
    taggedAt: z.string(),
    digest: z.string().optional(),
    url: z.string().optional(),
    run: z.string().optional(),
    zones: z.array(z.string()).openapi({ description: 'Where it runs now.' }),
  })
  .openapi('Version');

export const IssueView = z
  .object({
    repo: z.string(),
    number: z.int(),
    title: z.string(),
    body: z.string(),
    url: z.string(),
    state: z.enum(['open', 'closed']),
    labels: z.array(z.string()),
    author: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    column: z.enum(boardColumns).optional().openapi({ description: 'Where it is on the board; absent off it.' }),
    change: z
      .object({ run: z.string(), agentWorkflow: z.string(), phase: z.enum(runPhases) })
      .optional()
      .openapi({ description: 'The last Change that was started for it.' }),
    actions: z.array(ActionView),
  })
  .openapi('Issue');

type Shown = { repo: string; change?: AgentWorkflowRun | undefined; role: OrgRole | undefined };

export function issueView(issue: Issue, { repo, change, role }: Shown): z.infer<typeof IssueView> {
  const { number, title, body, url, state, labels, author, createdAt, updatedAt } = issue;
  const phase = change?.status?.phase ?? 'Pending';
  const going = change && !runEnded(phase) ? `The run "${change.metadata.name}" is going on for it.` : undefined;
  const column = boardColumn(issue, change);
  return {
    repo,
    number,
    title,
    body,
    url,
    state,
    labels,
    author,
    createdAt,
    updatedAt,
    ...(column && { column }),
    ...(change && { change: { run: change.metadata.name, agentWorkflow: change.spec.agentWorkflow, phase } }),
    actions: actionsFor(role, [
      { name: 'startRun', needs: 'member', hindrance: state === 'closed' ? 'The issue is closed.' : going },
      { name: 'labelIssue', needs: 'member' },
    ]),
  };
}
