import { describe, expect, it } from 'vitest';
import { judgeIngress, judgeStorage, type InstalledClasses } from '../../../src/rules/clusters/judge-classes.ts';

const main = { name: 'main', isDefault: true };
const other = { name: 'other', isDefault: false };

describe('judgeIngress', () => {
  it.each<[InstalledClasses, string | undefined, string, string]>([
    [[main, other], undefined, 'ok', 'main, the default'],
    [[other], undefined, 'warning', 'no default IngressClass'],
    [[main, { ...other, isDefault: true }], undefined, 'warning', 'more than one default'],
    [[main, other], 'other', 'ok', 'IngressClass other'],
    [[main], 'missing', 'warning', 'no IngressClass "missing"'],
    [[], undefined, 'warning', 'has no IngressClasses'],
    ['forbidden', undefined, 'warning', 'may not list'],
  ])('judges %j with INGRESS_CLASS %s as %s', (classes, ingressClass, result, message) => {
    const finding = judgeIngress(classes, { ingressClass, hasGateway: false });
    expect(finding).toMatchObject({ result, message: expect.stringContaining(message) as string });
    expect(finding.fix === undefined).toBe(result === 'ok');
  });

  it('looks at GatewayClasses if a Gateway serves the zones', () => {
    const gateway = { ingressClass: undefined, hasGateway: true };
    expect(judgeIngress([other], gateway)).toMatchObject({ result: 'ok', message: 'GatewayClass other.' });
    expect(judgeIngress([], gateway)).toMatchObject({ result: 'warning', fix: 'Install a Gateway controller.' });
  });
});

describe('judgeStorage', () => {
  it.each<[InstalledClasses, string]>([
    [[main, other], 'ok'],
    [[other], 'warning'],
    [[], 'warning'],
    ['forbidden', 'warning'],
  ])('judges %j as %s', (classes, result) => {
    expect(judgeStorage(classes)).toMatchObject({ result });
  });
});
