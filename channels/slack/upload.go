package slack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

const maxFileSize = 1 << 30 // bytes that Slack takes

// sendable are the files that can be uploaded, and notes about those that hold nothing.
func sendable(all []channels.Attachment) (files []channels.Attachment, notes []string, err error) {
	for _, a := range all {
		name := cmp.Or(a.Name, "file")
		switch {
		case len(a.Data) > maxFileSize:
			return nil, nil, fmt.Errorf("the file %s has %d MB, Slack takes %d", name, len(a.Data)>>20, maxFileSize>>20)
		case len(a.Data) == 0:
			notes = append(notes, fmt.Sprintf("*The file %s is empty.*", literal(name)))
		default:
			a.Name = name
			files = append(files, a)
		}
	}
	return files, notes, nil
}

// upload shows files in one message. They are seen only once all have been uploaded.
func (c *Channel) upload(ctx context.Context, to spot, files []channels.Attachment) error {
	var done []slackgo.FileSummary
	for _, a := range files {
		var place *slackgo.GetUploadURLExternalResponse
		err := c.api.call(ctx, "files.getUploadURLExternal", "", func(ctx context.Context) (err error) {
			place, err = c.api.GetUploadURLExternalContext(ctx, slackgo.GetUploadURLExternalParameters{
				FileName: a.Name, FileSize: len(a.Data),
			})
			return err
		})
		if err != nil {
			return refusedFile(err, a.Name)
		}
		err = c.api.within(ctx, uploadTimeout, "upload", "", func(ctx context.Context) error {
			return c.api.UploadToURL(ctx, slackgo.UploadToURLParameters{
				UploadURL: place.UploadURL, Reader: bytes.NewReader(a.Data), Filename: a.Name,
			})
		})
		if err != nil {
			return unseen(err)
		}
		done = append(done, slackgo.FileSummary{ID: place.FileID, Title: a.Name})
	}
	err := c.api.call(ctx, "files.completeUploadExternal", to.chat, func(ctx context.Context) error {
		_, err := c.api.CompleteUploadExternalContext(ctx, slackgo.CompleteUploadExternalParameters{
			Files: done, Channel: to.chat, ThreadTimestamp: to.thread,
		})
		return err
	})
	if f, failed := errors.AsType[*failure](err); failed && !f.channelError("upload").NotTaken && c.shared(ctx, to, done) {
		return nil
	}
	return refusedFile(err, files[0].Name)
}

// shareLooks is how often it is asked whether files are shown: Slack shares them a moment after it was asked to.
const shareLooks = 3

// shared tells whether all files are shown in a chat, when it is not known what came of asking for that.
func (c *Channel) shared(ctx context.Context, to spot, files []slackgo.FileSummary) bool {
	for look := range shareLooks {
		if look > 0 {
			channels.Sleep(ctx, c.pace.retry)
		}
		shown := 0
		for _, f := range files {
			if c.sharedIn(ctx, to.chat, f.ID) {
				shown++
			}
		}
		if shown == len(files) {
			return true
		}
	}
	return false
}

func (c *Channel) sharedIn(ctx context.Context, chat, file string) bool {
	var info *slackgo.File
	err := c.api.call(ctx, "files.info", "", func(ctx context.Context) (err error) {
		info, _, _, err = c.api.GetFileInfoContext(ctx, file, 0, 0)
		return err
	})
	if err != nil {
		c.env.Log.Debug("look up whether a file is shown", "err", err)
		return false
	}
	in := slices.Concat(info.Channels, info.Groups, info.IMs, slices.Collect(maps.Keys(info.Shares.Public)),
		slices.Collect(maps.Keys(info.Shares.Private)))
	return slices.Contains(in, chat)
}

// unseen notes that nothing was shown: what failed was before that.
func unseen(err error) error {
	if f, ok := err.(*failure); ok { //nolint:errorlint // calls return nothing else
		f.written = false
	}
	return err
}

// refusedFile says in plain words why Slack does not take a file.
func refusedFile(err error, name string) error {
	f, ok := err.(*failure) //nolint:errorlint // calls return nothing else
	if !ok {
		return err
	}
	switch {
	case f.is("file_upload_size_restricted", "snippet_too_large"):
		f.text = fmt.Sprintf("%s: the file %s is larger than this workspace allows", f.code, name)
	case f.is("file_type_not_allowed", "blocked_file_type", "file_uploads_except_images_disabled"):
		f.text = fmt.Sprintf("%s: this workspace does not allow files like %s", f.code, name)
	case f.is("file_uploads_disabled"):
		f.text = f.code + ": uploads are switched off in this workspace"
	case f.is("storage_limit_reached"):
		f.text = f.code + ": the workspace has no room for more files"
	}
	return f
}
