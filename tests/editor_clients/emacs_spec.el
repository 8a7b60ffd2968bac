;;; emacs_spec.el --- memory-ls through Eglot in the real Emacs  -*- lexical-binding: t -*-
;; usage: emacs -Q --batch -l emacs_spec.el -f memory-ls-spec CONFIGURATION.el WORK_FOLDER
;; CONFIGURATION is what the README tells to write; WORK_FOLDER is empty.
;; Ends with `N passed, 0 failed' or exits with status 1.

(require 'cl-lib)
(require 'package)
;; Debian's packages, where Emacs has no Eglot of its own.
(let ((debian "/usr/share/emacs/site-lisp/elpa"))
  (when (file-directory-p debian)
    (add-to-list 'package-directory-list debian)))
(package-initialize)
(require 'flymake)

;; What the configuration hooks into, for machines without the package.
(unless (fboundp 'markdown-mode)
  (define-derived-mode markdown-mode text-mode "Markdown"))
(add-to-list 'auto-mode-alist '("\\.md\\'" . markdown-mode))

(defvar spec-passed 0)

(defun ok (condition name &optional detail)
  (unless condition
    (princ (format "not ok - %s %S\n" name detail))
    (kill-emacs 1))
  (cl-incf spec-passed)
  (princ (format "ok %d - %s\n" spec-passed name))
  condition)

(defun equals (got wanted name)
  (ok (equal got wanted) name (list :got got :wanted wanted)))

(defun wait-for (name condition)
  (let ((end (+ (float-time) 20)) (value nil))
    (while (and (not (setq value (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02)
      (read-event nil nil 0.001)) ; here Emacs hears of the disk
    (ok value name (underlined))))

(defun write (file &rest lines)
  (make-directory (file-name-directory file) t)
  (let ((coding-system-for-write 'utf-8-unix))
    (with-temp-file file (insert (mapconcat #'identity lines "\n") "\n"))))

(defun put-cursor (text)
  "Put point behind TEXT."
  (goto-char (point-min))
  (ok (search-forward text nil t) (format "the cursor stands behind %s" text)))

(defun open (file)
  "Visit FILE, and do what the command loop does then."
  (find-file file)
  (run-hooks 'post-command-hook))

(defun underlined ()
  "What is underlined in this buffer, with the codes."
  (mapcar (lambda (finding)
            (cons (buffer-substring-no-properties (flymake-diagnostic-beg finding) (flymake-diagnostic-end finding))
                  (flymake-diagnostic-text finding)))
          (sort (flymake-diagnostics)
                (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b))))))

(defun spec-memories (directory)
  "The memory files in DIRECTORY."
  (delete "MEMORY.md" (directory-files directory nil "\\.md\\'")))

(defun spec-told (command)
  "What COMMAND tells last in the echo area."
  (let ((told ""))
    (cl-letf (((symbol-function 'message) (lambda (form &rest values) (when form (setq told (apply #'format form values))))))
      (funcall command))
    told))

(defun memory-ls-spec ()
  (let* ((configuration (pop command-line-args-left))
         (project (file-name-as-directory (expand-file-name "project" (pop command-line-args-left))))
         (memory (expand-file-name ".claude/memory/" project))
         (tide (expand-file-name "tide-table.md" memory))
         (log (expand-file-name "聊天 log.txt" project)))
    (make-directory (expand-file-name ".git" project) t)
    (write (expand-file-name "README.md" project) "# A project" "" "[[missing-pilot]]")
    (write (expand-file-name "MEMORY.md" memory)
           "# Memory Index" ""
           "- [Harbour pilot](harbour-pilot.md) — who steers"
           "- [潮位](tide-table.md) — 水位")
    (write (expand-file-name "harbour-pilot.md" memory)
           "---" "name: harbour-pilot" "description: who steers" "type: user" "---" "" "Steers by hand.")
    (write tide
           "---" "name: tide-table" "description: 水位" "type: reference" "---" ""
           "😀 é 漢 [[missing-pilot]] 끝" ""
           "漢 Ask [[harbour-pilot]].")
    (load configuration nil t)
    (setq inhibit-message t) ; Eglot tells of each connection, and of progress

    (open (expand-file-name "README.md" project))
    (ok (not (eglot-current-server)) "no server for markdown outside of memory directories")
    (open tide)
    (let ((server (wait-for "the server starts with a memory" #'eglot-current-server)))
      (ok (eglot-managed-p) "and manages its buffer")
      (equals (plist-get (eglot--server-info server) :name) "memory-ls" "the server tells its name")

      (wait-for "diagnostics arrive" #'flymake-diagnostics)
      (let ((found (underlined)))
        (equals (mapcar #'car found) '("missing-pilot") "a dead link is underlined exactly, behind emoji and Chinese")
        (ok (string-match-p "missing-pilot" (cdar found)) "with a message that names it" found))

      (put-cursor "[[harbour-p")
      (let ((shown nil))
        (add-hook 'eldoc-display-functions (lambda (documents _) (setq shown (mapconcat #'car documents "\n"))) nil t)
        (eldoc-print-current-symbol-info)
        (wait-for "eldoc shows the memory behind a link" (lambda () shown))
        (ok (and (string-match-p "who steers" shown) (string-match-p "Steers by hand" shown)) "all of it" shown))

      (put-cursor "[[harbour-p")
      (xref-find-definitions (xref-backend-identifier-at-point 'eglot))
      (equals buffer-file-name (expand-file-name "harbour-pilot.md" memory) "definition goes to the memory")

      (open tide)
      (goto-char (point-max))
      (insert "\n漢 [[harb")
      (completion-at-point)
      (equals (buffer-substring-no-properties (line-beginning-position) (line-end-position)) "漢 [[harbour-pilot]]"
              "a name is completed, and the link closed")

      (put-cursor "[[missing-pilot")
      (delete-region (match-beginning 0) (match-end 0))
      (insert "[[harbour-pilot")
      (insert "]] [[nobody")
      (save-buffer) ; Eglot sends edits then, or when Emacs is idle, which it never is in a batch
      (wait-for "a mended link loses its finding, another has its own"
                (lambda () (equal (mapcar #'car (underlined)) '("nobody"))))

      (write (expand-file-name "buoy.md" memory)
             "---" "name: buoy" "description: afloat" "type: user" "---" "" "Red, [[harbour-pilot]].")
      (goto-char (point-max))
      (insert "\n\n[[buoy]] [[never]]")
      (save-buffer)
      (wait-for "a memory that another program writes is known" (lambda () (equal (mapcar #'car (underlined)) '("nobody" "never"))))
      (delete-file (expand-file-name "buoy.md" memory))
      (wait-for "and forgotten when it goes" (lambda () (equal (mapcar #'car (underlined)) '("nobody" "buoy" "never"))))

      (put-cursor "[[harbour-p")
      (let ((files (mapcar (lambda (found) (file-name-nondirectory (xref-location-group (xref-item-location found))))
                           (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot)))))
        (ok (and (member "MEMORY.md" files) (member "tide-table.md" files)) "references are found in all files" files))
      (ok (string-match-p "tide-table" (format "%S" (funcall imenu-create-index-function))) "imenu has an outline")

      (write log
             "User: Where does the ferry lie at night?" ""
             "Assistant: At the north quay." ""
             "User: Remember that the north quay, 北码头, is closed in winter." ""
             "Assistant: I will.")
      (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) nil)))
        (memory-ls-consolidate log))
      (ok (string-match-p "^\\+.*北码头" (with-current-buffer "*memory-ls*" (buffer-string)))
          "what a chat log would add is shown as a diff")
      (equals (spec-memories memory) '("harbour-pilot.md" "tide-table.md") "nothing is saved without a yes")
      (append-to-file "\nUser: From now on, always moor with two lines.\n\nAssistant: Yes.\n\nUser: Good.\n\nAssistant: Indeed.\n"
                      nil log)
      (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) t)))
        (memory-ls-consolidate log))
      (equals (length (spec-memories memory)) 3 "with a yes it is saved")
      (ok (string-match-p "Taken back: Add ." (spec-told #'memory-ls-undo)) "what is taken back is told")
      (equals (spec-memories memory) '("harbour-pilot.md" "tide-table.md") "and then it is gone")
      (equals (condition-case refused (memory-ls-undo) (user-error (cadr refused))) "There is nothing to undo."
              "what the server refuses is told in its words")
      (ok (string-match-p "Nothing is saved: ." (spec-told (lambda () (memory-ls-consolidate log))))
          "a log without anything new says why nothing is saved")

      (set-buffer-modified-p nil)
      (eglot-shutdown server)
      (ok (not (eglot-current-server)) "the server stops"))
    (princ (format "%d passed, 0 failed\n" spec-passed))
    (kill-emacs 0)))

;;; emacs_spec.el ends here
