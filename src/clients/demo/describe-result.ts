import type { DemoResult } from './demo-options.ts';
import type { Failure } from './views.ts';

/** Returns the lines that tell a person how the Change ended, each failure once, and what to do next. */
export function describeResult(
  { run, release, guidance }: DemoResult,
  { isServing }: { isServing: boolean },
): string[] {
  const zones = release?.status.zones ?? [];
  const failures = [run.status.failure, release?.status.failure, ...zones.map(({ failure }) => failure)];
  const isDelivered = release?.status.phase === 'Succeeded';
  return [
    ...new Set(failures.flatMap((failure) => (failure ? [toText(failure)] : []))),
    ...zones.map(({ name, phase, address }) => `${name.padEnd(16)} ${phase.padEnd(12)} ${address ?? ''}`),
    ...(guidance ? describeGuidance(guidance) : []),
    ...(isDelivered && !isServing
      ? [`The address of ${zones.at(-1)?.name} does not serve ${release.spec.version}.`]
      : []),
    ...(run.status.phase === 'Cancelled' ? [`The Change ${run.name} was cancelled.`] : []),
    ...(isDelivered || guidance ? [] : ['Run the demo again to retry, or pass another --issue.']),
  ];
}

const toText = ({ message, fix }: Failure): string => `${message.trim()} ${fix}`;

const describeGuidance = ({ step, question }: NonNullable<DemoResult['guidance']>): string[] => [
  `${step} needs guidance: ${question}`,
  'Run the demo without --yes to answer, or fix the cause and run it again to retry the step.',
];
