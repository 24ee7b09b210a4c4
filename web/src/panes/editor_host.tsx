// The place of an editor in the page: made once, kept for the life of the page.
import { useEffect, useRef } from "preact/hooks";

import { JsonEditor, type EditorOptions } from "../editor/json_editor";

export function EditorHost({ options, onReady }: { options: EditorOptions; onReady: (editor: JsonEditor) => void }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return undefined;
    const editor = new JsonEditor(host.current, options);
    onReady(editor);
    return () => editor.destroy();
  }, []);
  return <div class="editor-host" ref={host} />;
}
