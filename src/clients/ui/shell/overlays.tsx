import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffectEvent, useLayoutEffect } from 'react';
import { togglePause } from '../live/live.tsx';
import type { Place } from './places.ts';
import { lazyPart } from '../parts/lazy-file.ts';
import { listenToShortcuts } from './shortcuts.ts';

const Palette = lazyPart(async () => (await import('./palette.tsx')).default);
const ShortcutSheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).default);

export type Overlay = 'palette' | 'sheet';
type OverlaysProps = {
  places: Place[];
  toPath: (place: Place) => string;
  overlay: Overlay | undefined;
  setOverlay: (overlay: Overlay | undefined) => void;
};

/** The keys that work on every page, and the dialogs that they open. */
export function Overlays({ places, toPath, overlay, setOverlay }: OverlaysProps) {
  const { history } = useRouter();
  const goTo = useEffectEvent((letter: string) => {
    const place = places.find((one) => one.letter === letter);
    if (place) history.push(toPath(place));
  });
  // The keys are listened to once, from the moment the frame is shown, so that none is lost.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const openPalette = (): void => setOverlay('palette');
    const openSheet = (): void => setOverlay('sheet');
    listenToShortcuts(controller.signal, { openPalette, openSheet, togglePause, goTo });
    return () => controller.abort();
  }, [setOverlay]);
  const close = (): void => setOverlay(undefined);
  return (
    <Suspense>
      {overlay === 'palette' && (
        <Palette places={places} toPath={toPath} onClose={close} openSheet={() => setOverlay('sheet')} />
      )}
      {overlay === 'sheet' && <ShortcutSheet places={places} onClose={close} />}
    </Suspense>
  );
}
