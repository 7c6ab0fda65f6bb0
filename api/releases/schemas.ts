import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { viewSchema } from '../http/views.ts';

export const ReleaseView = viewSchema(ReleaseKind).openapi('Release');
export const PromotionView = viewSchema(PromotionKind).openapi('Promotion');
